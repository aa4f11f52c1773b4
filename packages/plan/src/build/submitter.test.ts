import type { Container, PodTemplateSpec, RayClusterSpec, RayJob, RayJobSpec } from '@manta/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../testing/build-context.ts';
import { commandJson } from './command-json.ts';
import { submitCommand } from './submitter-command.ts';
import { buildSubmitterJob, type SubmitterJobInput } from './submitter-job.ts';
import { buildJobSubmission } from './submitter-request.ts';
import { withSidecarSubmitter } from './submitter-sidecar.ts';

const clusterSpec: RayClusterSpec = {
  rayVersion: '2.52.0',
  headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'rayproject/ray:2.52.0' }] } } },
};
const context = buildContext();
/** JSON is YAML enough for these tests. */
const parseYaml = (text: string): unknown => JSON.parse(text);

const rayJob = (spec: RayJobSpec = {}): RayJob => ({
  metadata: { name: 'job', namespace: 'ns', uid: 'u1' },
  spec: { entrypoint: 'python run.py', rayClusterSpec: clusterSpec, ...spec },
});

const jobInput = (spec: RayJobSpec = {}, cluster: Partial<RayClusterSpec> = {}): SubmitterJobInput => ({
  job: rayJob(spec),
  cluster: { name: 'job-abcde', spec: { ...clusterSpec, ...cluster } },
  jobId: 'job-x1y2z',
  dashboardUrl: 'job-abcde-head-svc.ns.svc.cluster.local:8265',
  parseYaml,
});

const submit = (
  spec: RayJobSpec,
  settings: { dashboardUrl?: string; context?: typeof context; parseYaml?: typeof parseYaml } = {},
) =>
  submitCommand(
    {
      spec: { entrypoint: 'python run.py', rayClusterSpec: clusterSpec, ...spec },
      jobId: 'test-job-id',
      dashboardUrl: settings.dashboardUrl ?? 'test-url',
      parseYaml: settings.parseYaml ?? parseYaml,
    },
    settings.context ?? context,
  );

function textOf<T>(result: { ok: true; value: T } | { ok: false; error: string }): T {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

function podOf(input: SubmitterJobInput, given = context): PodTemplateSpec {
  return textOf(buildSubmitterJob(input, given)).spec?.template ?? {};
}

function submitterOf(input: SubmitterJobInput, given = context): Container {
  const [container] = podOf(input, given).spec?.containers ?? [];
  if (container === undefined) throw new Error('no container');
  return container;
}

const WAIT =
  `until python -c "import urllib.request; r=urllib.request.urlopen('http://test-url/api/gcs_healthz', timeout=10); ` +
  `exit(0 if b'success' in r.read() else 1)" >/dev/null 2>&1 ; ` +
  'do echo "Waiting for Ray Dashboard GCS to become healthy at http://test-url ..." ; sleep 2 ; done ;';

describe('submitCommand()', () => {
  it('waits for the head, submits once and follows the output', () => {
    expect(textOf(submit({}))).toBe(
      `${WAIT} if ! ray job status --address http://test-url test-job-id >/dev/null 2>&1 ; then ` +
        'ray job submit --address http://test-url --no-wait --submission-id test-job-id -- python run.py ; fi ; ' +
        'ray job logs --address http://test-url --follow test-job-id',
    );
  });

  it('does not put a second scheme before an address that has one', () => {
    expect(textOf(submit({}, { dashboardUrl: 'http://test-url' }))).toBe(textOf(submit({})));
  });

  it('hands every option over, in order, quoted for the shell', () => {
    const command = textOf(
      submit({
        runtimeEnvYAML: '{"pip": ["b>=1"], "env_vars": {"A": "$HOME"}, "config": null}',
        metadata: { z: '"quoted"', a: 'ü\n' },
        entrypointNumCpus: 2,
        entrypointNumGpus: 0.1,
        entrypointResources: '{"x": 1}',
        entrypoint: '  python -c "print(\'$HOME\')"\n',
      }),
    );
    expect(command).toContain(
      String.raw`--no-wait --runtime-env-json "{\"config\":null,\"env_vars\":{\"A\":\"$HOME\"},\"pip\":[\"b\\u003e=1\"]}" ` +
        String.raw`--metadata-json "{\"a\":\"ü\\n\",\"z\":\"\\\"quoted\\\"\"}" --submission-id test-job-id ` +
        String.raw`--entrypoint-num-cpus 2.000000 --entrypoint-num-gpus 0.100000 --entrypoint-resources "{\"x\": 1}" ` +
        String.raw`-- python -c "print('$HOME')" ; fi ;`,
    );
  });

  it('hands over an empty environment where the text says nothing', () => {
    expect(textOf(submit({ runtimeEnvYAML: 'null' }))).toContain('--runtime-env-json "{}" --submission-id');
  });

  it.each([
    [0.5, '0.500000'],
    [1 / 128, '0.007812'],
    [3 / 128, '0.023438'],
    [0.1, '0.100000'],
    [16_777_217, '16777216.000000'],
  ])('writes %f GPUs with six decimals, as Go does', (entrypointNumGpus, text) => {
    expect(textOf(submit({ entrypointNumGpus }))).toContain(`--entrypoint-num-gpus ${text} `);
  });

  it('keeps whole numbers that a float cannot hold to the last digit', () => {
    const command = submit({ runtimeEnvYAML: 'x' }, { parseYaml: () => new Map([['seed', 12345678901234567890n]]) });
    expect(textOf(command)).toContain(String.raw`--runtime-env-json "{\"seed\":12345678901234567890}"`);
  });

  it('talks to its own pod in SidecarMode, on the port that the head names, and waits for the job there', () => {
    const head = { name: 'ray-head', ports: [{ name: 'dashboard', containerPort: 9000 }] };
    const spec = { headGroupSpec: { template: { spec: { containers: [head] } } } };
    const command = textOf(submit({ submissionMode: 'SidecarMode', rayClusterSpec: spec }));
    expect(command).toContain("urlopen('http://localhost:9000/api/gcs_healthz'");
    expect(command).toMatch(
      / ; done ; ray job submit --address http:\/\/127\.0\.0\.1:9000 --submission-id test-job-id -- python run\.py ;$/,
    );
  });

  it('submits only once in SidecarMode where the submitter may be restarted', () => {
    const restarting = buildContext({ gates: { SidecarSubmitterRestart: true } });
    const command = textOf(submit({ submissionMode: 'SidecarMode' }, { context: restarting }));
    expect(command).toContain('if ! ray job status --address http://127.0.0.1:8265 test-job-id');
    expect(command).toMatch(/; fi ; ray job logs --address http:\/\/127\.0\.0\.1:8265 --follow test-job-id$/);
  });

  it.each([
    ['HTTPMode', 'unsupported submission mode for job submit command: HTTPMode'],
    ['InteractiveMode', 'unsupported submission mode for job submit command: InteractiveMode'],
  ] as const)('makes no command for %s', (submissionMode, error) => {
    expect(submit({ submissionMode })).toEqual({ ok: false, error });
  });

  it.each([
    ['2.5.0', 'the Ray version must be at least 2.6.0 to use the metadata field'],
    ['not-a-version', 'failed to parse Ray version: not-a-version: Invalid Semantic Version'],
  ])('makes no command with metadata for Ray %s', (rayVersion, error) => {
    expect(submit({ metadata: { a: 'b' }, rayClusterSpec: { ...clusterSpec, rayVersion } })).toEqual({
      ok: false,
      error,
    });
  });

  it('takes a cluster of unknown version for new enough', () => {
    const { rayVersion: _, ...spec } = clusterSpec;
    expect(textOf(submit({ metadata: { a: 'b' }, rayClusterSpec: spec }))).toContain('--metadata-json');
  });
});

describe('buildSubmitterJob()', () => {
  it('makes a Job that belongs to the RayJob and runs in the head’s image', () => {
    const job = textOf(buildSubmitterJob(jobInput(), context));
    expect(job.metadata).toMatchObject({
      name: 'job',
      namespace: 'ns',
      ownerReferences: [{ kind: 'RayJob', name: 'job', uid: 'u1', controller: true }],
    });
    expect(job.spec?.backoffLimit).toBe(2);
    expect(job.spec?.template.spec?.restartPolicy).toBe('Never');
    expect(submitterOf(jobInput())).toMatchObject({
      name: 'ray-job-submitter',
      image: 'rayproject/ray:2.52.0',
      command: ['/bin/bash', '-ce', '--'],
      resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '200Mi' } },
      env: [
        { name: 'PYTHONUNBUFFERED', value: '1' },
        { name: 'RAY_DASHBOARD_ADDRESS', value: 'job-abcde-head-svc.ns.svc.cluster.local:8265' },
        { name: 'RAY_JOB_SUBMISSION_ID', value: 'job-x1y2z' },
      ],
    });
  });

  it('requests nothing if the installation says so', () => {
    const container = submitterOf(jobInput(), buildContext({ env: { SUBMITTER_REQUESTS: 'false' } }));
    expect(container.resources).toEqual({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '0', memory: '0' } });
  });

  it('labels the Job and its pods over what the user says, and keeps the user’s other labels', () => {
    const labels = { mine: 'yes', 'app.kubernetes.io/created-by': 'me' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 's' }] } };
    const ours = {
      'ray.io/originated-from-cr-name': 'job',
      'ray.io/originated-from-crd': 'RayJob',
      'app.kubernetes.io/created-by': 'kuberay-operator',
    };
    const job = textOf(buildSubmitterJob(jobInput({ submitterPodTemplate: template }), context));
    expect(job.metadata?.labels).toEqual(ours);
    expect(job.spec?.template.metadata?.labels).toEqual({ mine: 'yes', ...ours });
  });

  it('keeps a command of the user’s own with its arguments', () => {
    const own = { name: 's', image: 'busybox', command: ['sh'], args: ['-c', 'true'] };
    const env = [{ name: 'A', value: 'b' }];
    const template = { spec: { containers: [{ ...own, env }, { name: 'second' }], serviceAccountName: 'me' } };
    const pod = podOf(jobInput({ submitterPodTemplate: template }));
    expect(pod.spec).toMatchObject({ serviceAccountName: 'me', containers: [own, { name: 'second' }] });
    expect(pod.spec?.restartPolicy).toBeUndefined();
    expect(pod.spec?.containers[0]?.env?.map(({ name }) => name)).toEqual([
      'A',
      'PYTHONUNBUFFERED',
      'RAY_DASHBOARD_ADDRESS',
      'RAY_JOB_SUBMISSION_ID',
    ]);
  });

  it('asks nothing of the options that a command of the user’s own does not use', () => {
    const template = { spec: { containers: [{ name: 's', command: ['/submitter'] }] } };
    const spec = { metadata: { a: 'b' }, rayClusterSpec: { ...clusterSpec, rayVersion: '2.5.0' } };
    expect(buildSubmitterJob(jobInput({ ...spec, submitterPodTemplate: template }), context).ok).toBe(true);
    expect(buildSubmitterJob(jobInput(spec), context).ok).toBe(false);
  });

  it('replaces the arguments of a user’s container without a command', () => {
    const template = { spec: { containers: [{ name: 's', image: 'mine', args: ['will', 'go'] }] } };
    const container = submitterOf(jobInput({ submitterPodTemplate: template }));
    expect(container.command).toEqual(['/bin/bash', '-ce', '--']);
    expect(container.args).toEqual([expect.stringMatching(/^until /)]);
    expect(container).toMatchObject({ name: 's', image: 'mine' });
    expect(container.resources).toBeUndefined();
  });

  it('uses a login shell and the user’s number of retries where they are wanted', () => {
    const login = buildContext({ env: { ENABLE_LOGIN_SHELL: 'true' } });
    expect(submitterOf(jobInput(), login).command).toEqual(['/bin/bash', '-cel', '--']);
    const job = textOf(buildSubmitterJob(jobInput({ submitterConfig: { backoffLimit: 0 } }), context));
    expect(job.spec?.backoffLimit).toBe(0);
  });

  it('gives the submitter the cluster’s token, and never twice', () => {
    const env = submitterOf(jobInput({}, { authOptions: { mode: 'token' } })).env ?? [];
    expect(env.slice(3)).toEqual([
      { name: 'RAY_AUTH_MODE', value: 'token' },
      { name: 'RAY_AUTH_TOKEN', valueFrom: { secretKeyRef: { name: 'job-abcde', key: 'auth_token' } } },
    ]);
    const own = { name: 's', env: [{ name: 'RAY_AUTH_TOKEN', value: 'mine' }] };
    const template = { spec: { containers: [own] } };
    const kept = submitterOf(jobInput({ submitterPodTemplate: template }, { authOptions: { mode: 'token' } })).env;
    expect(kept?.filter(({ name }) => name === 'RAY_AUTH_TOKEN')).toEqual(own.env);
  });

  it('gives the submitter a Kubernetes token where the cluster takes those', () => {
    const pod = podOf(jobInput({}, { authOptions: { mode: 'token', enableK8sTokenAuth: true } }));
    expect(pod.spec?.volumes).toEqual([
      { name: 'ray-token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
    ]);
    expect(pod.spec?.containers[0]?.volumeMounts).toHaveLength(1);
    expect(pod.spec?.containers[0]?.env?.map(({ name }) => name)).not.toContain('RAY_AUTH_TOKEN');
  });
});

describe('withSidecarSubmitter()', () => {
  const sidecar = (given = context) =>
    textOf(
      withSidecarSubmitter(
        {
          spec: { entrypoint: 'python run.py', submissionMode: 'SidecarMode', rayClusterSpec: clusterSpec },
          cluster: { name: 'job-abcde', spec: { ...clusterSpec, authOptions: { mode: 'token' } } },
          jobId: 'my-id',
          parseYaml,
        },
        given,
      ),
    ).headGroupSpec.template.spec;

  it('appends the submitter to the head pod, which then ends with its containers', () => {
    expect(sidecar()?.containers.map(({ name }) => name)).toEqual(['ray-head', 'ray-job-submitter']);
    expect(sidecar()?.restartPolicy).toBe('Never');
    expect(sidecar()?.containers[1]).toMatchObject({
      image: 'rayproject/ray:2.52.0',
      env: [
        { name: 'PYTHONUNBUFFERED', value: '1' },
        { name: 'RAY_DASHBOARD_ADDRESS', value: '' },
        { name: 'RAY_JOB_SUBMISSION_ID', value: 'my-id' },
        { name: 'RAY_AUTH_MODE', value: 'token' },
        { name: 'RAY_AUTH_TOKEN', valueFrom: { secretKeyRef: { name: 'job-abcde' } } },
      ],
    });
  });

  it('restarts the submitter only where the installation allows it', () => {
    expect(sidecar()?.containers[1]).not.toHaveProperty('restartPolicy');
    const restarting = buildContext({ gates: { SidecarSubmitterRestart: true } });
    expect(sidecar(restarting)?.containers[1]).toHaveProperty('restartPolicy', 'OnFailure');
  });
});

describe('buildJobSubmission()', () => {
  it('leaves out what is empty and sends the entrypoint as it is', () => {
    const spec = { entrypoint: '  run \n', metadata: {}, runtimeEnvYAML: '{}', entrypointNumCpus: 0 };
    expect(buildJobSubmission(spec, 'id', parseYaml)).toEqual({
      ok: true,
      value: { entrypoint: '  run \n', submissionId: 'id' },
    });
  });

  it('sends everything that the user asks for', () => {
    const spec: RayJobSpec = {
      entrypoint: 'run',
      metadata: { a: 'b' },
      runtimeEnvYAML: '{"pip": ["x"]}',
      entrypointNumCpus: 1,
      entrypointNumGpus: 0.5,
      entrypointResources: '{"x": 1}',
    };
    expect(textOf(buildJobSubmission(spec, 'id', parseYaml))).toEqual({
      entrypoint: 'run',
      submissionId: 'id',
      metadata: { a: 'b' },
      runtimeEnv: { pip: ['x'] },
      entrypointNumCpus: 1,
      entrypointNumGpus: 0.5,
      entrypointResources: { x: 1 },
    });
  });

  it('sends whole numbers that a float cannot hold as the float that is nearest', () => {
    const env = new Map([['seeds', [new Map([['a', 12345678901234567890n]])]]]);
    const request = textOf(buildJobSubmission({ runtimeEnvYAML: 'x' }, 'id', () => env));
    expect(JSON.stringify(request)).toContain('{"seeds":[{"a":12345678901234567000}]}');
  });

  it('sends amounts as 32-bit floats, in the fewest digits', () => {
    const spec = {
      entrypointNumCpus: 0.1,
      entrypointNumGpus: 16_777_217,
      entrypointResources: '{"x": 1e-7, "y": 2.25}',
    };
    expect(textOf(buildJobSubmission(spec, 'id', parseYaml))).toMatchObject({
      entrypointNumCpus: 0.1,
      entrypointNumGpus: 16_777_216,
      entrypointResources: { x: 1e-7, y: 2.25 },
    });
  });

  it.each(['{', '[1]', '"x"', '{"a": "1"}'])('refuses the resources %s', (entrypointResources) => {
    const result = buildJobSubmission({ entrypointResources }, 'id', parseYaml);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining('spec.entrypointResources') });
  });
});

describe('commandJson()', () => {
  it('means what JSON.stringify means, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = commandJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text).not.toMatch(/[<>&\u2028\u2029]/);
      }),
    );
  });
});
