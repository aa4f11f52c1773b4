import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, RayCluster, RayJob } from '@manta/api';
import { type KubeClient, resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ServerAccess } from '../conformance/support/http-target.ts';
import { openStage, type Stage } from '../integration/stage.ts';
import { kubeconfigText } from '../support/kubeconfig-text.ts';
import { type CliOptions, runCli } from './run-cli.ts';

/** Every command of KubeRay's plugin, with its columns and messages, against any API server. No operator runs: statuses are written here. */
export function cliSuite(access: () => ServerAccess): void {
  let stage: Stage;
  let admin: KubeClient;
  let folder: string;
  let kubeconfig: string;
  let namespace: string;
  let count = 0;
  const unique = (prefix: string) => `${prefix}-${++count}`;
  const ray = (args: string, options?: CliOptions) =>
    runCli(kubeconfig, ['-n', namespace, ...args.split(' ')], options);

  beforeAll(async () => {
    stage = await openStage(access());
    admin = stage.admin;
    folder = mkdtempSync(join(tmpdir(), 'manta-cli-'));
    kubeconfig = kubeconfigOf('cli-admin', ['system:masters']);
    namespace = await stage.target.namespace();
  });
  afterAll(async () => {
    await stage.close();
    rmSync(folder, { recursive: true });
  });

  function kubeconfigOf(user: string, groups: readonly string[]): string {
    const server = access();
    const path = join(folder, `${user}.kubeconfig`);
    const credentials = { url: server.url, ca: server.caCert, ...server.issue({ name: user, groups }) };
    writeFileSync(path, kubeconfigText({ ...credentials, user }), { mode: 0o600 });
    return path;
  }

  async function createdCluster(name: string, extra: Partial<RayCluster['spec']> = {}): Promise<RayCluster> {
    const template = (container: string) => ({
      spec: { containers: [{ name: container, image: 'ray', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
    });
    return await admin.create(resources.rayClusters, {
      metadata: { name, namespace },
      spec: {
        headGroupSpec: { rayStartParams: {}, template: template('ray-head') },
        workerGroupSpecs: [
          {
            groupName: 'workers',
            replicas: 2,
            minReplicas: 1,
            maxReplicas: 5,
            rayStartParams: {},
            template: template('ray-worker'),
          },
        ],
        ...extra,
      },
    });
  }

  async function withStatus(name: string, status: RayCluster['status']): Promise<void> {
    await admin.patch(
      resources.rayClusters,
      { namespace, name },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  }

  async function createdPod(
    cluster: string,
    name: string,
    nodeType: 'head' | 'worker',
    isReady: boolean,
  ): Promise<void> {
    const labels = {
      'ray.io/cluster': cluster,
      'ray.io/node-type': nodeType,
      'ray.io/group': nodeType === 'head' ? 'headgroup' : 'workers',
      'ray.io/is-ray-node': 'yes',
    };
    const container = { name: 'ray', image: 'ray', resources: { requests: { cpu: '500m', memory: '1Gi' } } };
    const pod: Pod = { metadata: { name, namespace, labels }, spec: { containers: [container] } };
    await admin.create(resources.pods, pod);
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }] as const;
    const body = { status: { phase: 'Running', conditions } };
    await admin.patch(resources.pods, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
  }

  const groupOf = async (name: string) =>
    (await admin.get(resources.rayClusters, { namespace, name })).spec?.workerGroupSpecs?.[0];

  describe('get cluster', () => {
    it("prints the columns of KubeRay's plugin", async () => {
      const name = unique('cluster');
      await createdCluster(name);
      await withStatus(name, {
        state: 'ready',
        desiredWorkerReplicas: 2,
        availableWorkerReplicas: 1,
        desiredCPU: '3',
        desiredMemory: '6Gi',
        desiredGPU: '0',
        desiredTPU: '0',
        conditions: [
          {
            type: 'HeadPodReady',
            status: 'True',
            reason: 'R',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
          {
            type: 'RayClusterProvisioned',
            status: 'True',
            reason: 'R',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      });
      const { code, stdout } = await ray(`get cluster ${name}`);
      const [header = '', row = ''] = stdout.split('\n');
      expect(code).toBe(0);
      expect(header.trim().split(/ {2,}/)).toEqual([
        'NAME',
        'NAMESPACE',
        'DESIRED WORKERS',
        'AVAILABLE WORKERS',
        'CPUS',
        'GPUS',
        'TPUS',
        'MEMORY',
        'CONDITION',
        'STATUS',
        'AGE',
      ]);
      expect(row.trim().split(/ +/).slice(0, -1)).toEqual([
        name,
        namespace,
        '2',
        '1',
        '3',
        '0',
        '0',
        '6Gi',
        'RayClusterProvisioned',
        'ready',
      ]);
    });

    it('says which cluster is not found, and where it looked', async () => {
      expect(await ray('get cluster nothing')).toMatchObject({
        code: 1,
        stderr: `Error: Ray cluster nothing not found in namespace ${namespace}\n`,
      });
      expect((await ray('get cluster nothing -A')).stderr).toBe(
        'Error: Ray cluster nothing not found in any namespace\n',
      );
    });

    it('refuses a second name', async () => {
      expect(await ray('get cluster one two')).toMatchObject({ code: 2 });
    });

    it.each(['json', 'yaml'])('prints the object itself as %s', async (format) => {
      const name = unique('cluster');
      await createdCluster(name);
      const { stdout } = await ray(`get cluster ${name} -o ${format}`);
      expect(parse(stdout)).toMatchObject({ apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name } });
    });

    it('prints names, lists and JSONPath', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      expect((await ray(`get cluster ${name} -o name`)).stdout).toBe(`raycluster.ray.io/${name}\n`);
      expect(
        (
          await ray(
            `get clusters -o jsonpath={.items[?(@.metadata.name=="${name}")].spec.workerGroupSpecs[0].replicas}`,
          )
        ).stdout,
      ).toBe('2\n');
    });

    it('prints again when a cluster changes, until Ctrl-C', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      const stop = new AbortController();
      let printed = '';
      const { promise: first, resolve: sawFirst } = Promise.withResolvers<void>();
      const { promise: second, resolve: sawSecond } = Promise.withResolvers<void>();
      const watching = ray(`get cluster ${name} -w`, {
        signal: stop.signal,
        onOutput: (text) => {
          printed += text;
          sawFirst();
          if (printed.includes('suspended')) sawSecond();
        },
      });
      await first;
      await withStatus(name, { state: 'suspended' });
      await second;
      stop.abort();
      await watching;
      expect(printed).toContain('suspended');
    });
  });

  describe('get workergroup', () => {
    it('prints bounds, ready pods and the resources of all replicas', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      await createdPod(name, `${name}-w1`, 'worker', true);
      await createdPod(name, `${name}-w2`, 'worker', false);
      const { stdout } = await ray(`get workergroup workers -c ${name}`);
      const [header = '', row = ''] = stdout.split('\n');
      expect(header.split(/ +/)).toEqual([
        'NAME',
        'MIN',
        'MAX',
        'REPLICAS',
        'CPUS',
        'GPUS',
        'TPUS',
        'MEMORY',
        'CLUSTER',
      ]);
      expect(row.split(/ +/)).toEqual(['workers', '1', '5', '1/2', '2', '0', '0', '2Gi', name]);
    });

    it('says which group is not found', async () => {
      const { code, stderr } = await ray('get workergroup nothing -c some');
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `Error: Ray worker group nothing not found in namespace ${namespace} in Ray cluster some\n`,
      });
    });
  });

  describe('get node', () => {
    it('prints the Ray pods of a cluster', async () => {
      const name = unique('cluster');
      await createdPod(name, `${name}-head`, 'head', true);
      const { stdout } = await ray(`get node -c ${name} -A`);
      const [header = '', row = ''] = stdout.split('\n');
      expect(header.split(/ {2,}/)).toEqual([
        'NAMESPACE',
        'NAME',
        'CPUS',
        'GPUS',
        'TPUS',
        'MEMORY',
        'CLUSTER',
        'TYPE',
        'WORKER GROUP',
        'AGE',
      ]);
      expect(row.split(/ +/).slice(0, -1)).toEqual([
        namespace,
        `${name}-head`,
        '500m',
        '0',
        '0',
        '1Gi',
        name,
        'head',
        'headgroup',
      ]);
    });

    it('says which node is not found', async () => {
      expect((await ray('get node nothing')).stderr).toBe(
        `Error: Ray node nothing not found in namespace ${namespace} in any Ray cluster\n`,
      );
    });
  });

  describe('get token', () => {
    it("prints the token of the cluster's Secret without a line break", async () => {
      const name = unique('cluster');
      await createdCluster(name, { rayVersion: '2.52.0', authOptions: { mode: 'token', secretName: `${name}-mine` } });
      const data = { auth_token: Buffer.from('s3cret').toString('base64') };
      await admin.create(resources.secrets, { metadata: { name: `${name}-mine`, namespace }, data });
      expect(await ray(`get token ${name}`)).toMatchObject({ code: 0, stdout: 's3cret' });
    });

    it('refuses a cluster without tokens', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      expect((await ray(`get token ${name}`)).stderr).toBe(
        `Error: RayCluster ${namespace}/${name} was not configured to use authentication tokens\n`,
      );
    });
  });

  describe('scale cluster', () => {
    it('changes replicas and bounds and lists what changed', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      const { code, stdout } = await ray(
        `scale cluster ${name} -w workers --replicas 4 --min-replicas 2 --max-replicas 6`,
      );
      expect(code).toBe(0);
      expect(stdout).toBe(
        `Updated worker group workers in Ray cluster ${name} in namespace ${namespace} (Scaled minReplicas: 1 to 2, Scaled maxReplicas: 5 to 6, Scaled Replicas: 2 to 4)\n`,
      );
      expect(await groupOf(name)).toMatchObject({ replicas: 4, minReplicas: 2, maxReplicas: 6 });
    });

    it('writes nothing when nothing changes', async () => {
      const name = unique('cluster');
      const { metadata } = await createdCluster(name);
      expect((await ray(`scale cluster ${name} -w workers -r 2`)).stdout).toMatch(
        /already matches the requested configuration. Skipping.\n$/,
      );
      expect((await admin.get(resources.rayClusters, { namespace, name })).metadata?.resourceVersion).toBe(
        metadata?.resourceVersion,
      );
    });

    it.each([
      ['--replicas 9', 'cannot set --replicas (9) greater than --max-replicas (5)'],
      ['--replicas 0', 'cannot set --replicas (0) less than --min-replicas (1)'],
      ['--min-replicas 6', 'cannot set --min-replicas (6) greater than --max-replicas (5)'],
      ['--min-replicas 4 --max-replicas 3', '--min-replicas (4) cannot be greater than --max-replicas (3)'],
      ['--replicas -2', '--replicas must be a non-negative integer'],
      ['', 'must specify at least one of --replicas, --min-replicas, or --max-replicas (non-negative integers)'],
    ])('refuses %s', async (flags, message) => {
      const name = unique('cluster');
      await createdCluster(name);
      const { code, stderr } = await ray(`scale cluster ${name} -w workers ${flags}`.trim());
      expect({ code, stderr }).toEqual({ code: 2, stderr: `Error: ${message}\n` });
    });

    it('lists the groups that exist when one does not', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      expect((await ray(`scale cluster ${name} -w other -r 1`)).stderr).toBe(
        `Error: worker group other not found in Ray cluster ${name} in namespace ${namespace}. Available worker groups: workers\n`,
      );
      expect((await ray('scale cluster nothing -w workers -r 1')).stderr).toMatch(/not found/);
    });
  });

  describe('create cluster', () => {
    it('creates what its flags describe', async () => {
      const name = unique('made');
      const { code, stdout, stderr } = await ray(
        `create cluster ${name} --ray-version 2.53.0 --worker-replicas 3 --worker-gpu 1 --head-memory 5Gi --labels app=ray,env=dev --autoscaler V2`,
      );
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `Created Ray cluster: ${name}\n`, stderr: '' });
      const { metadata, spec } = await admin.get(resources.rayClusters, { namespace, name });
      expect(metadata?.labels).toEqual({ app: 'ray', env: 'dev' });
      expect(spec).toMatchObject({
        rayVersion: '2.53.0',
        enableInTreeAutoscaling: true,
        autoscalerOptions: { version: 'v2' },
        headGroupSpec: {
          template: {
            spec: { containers: [{ image: 'rayproject/ray:2.53.0', resources: { limits: { memory: '5Gi' } } }] },
          },
        },
        workerGroupSpecs: [
          {
            groupName: 'default-group',
            replicas: 3,
            template: { spec: { containers: [{ resources: { limits: { 'nvidia.com/gpu': '1' } } }] } },
          },
        ],
      });
    });

    it('refuses a name that is taken', async () => {
      const name = unique('made');
      await createdCluster(name);
      expect(await ray(`create cluster ${name}`)).toMatchObject({
        code: 1,
        stderr: `Error: the Ray cluster ${name} in namespace ${namespace} already exists\n`,
      });
    });

    it('takes a file instead of flags, and no flag beside it', async () => {
      const name = unique('made');
      const file = join(folder, `${name}.yaml`);
      writeFileSync(
        file,
        `name: ${name}\nhead: {cpu: 3}\nworker-groups:\n  - {name: cpus, replicas: 2, cpu: 1, memory: 2Gi}\n  - {replicas: 1}\n`,
      );
      expect((await ray(`create cluster ${name} --file ${file} --head-cpu 1 --image x`)).stderr).toBe(
        'Error: the following flags are incompatible with --file: [head-cpu image]\n',
      );
      expect((await ray(`create cluster ${name} --file ${file}`)).stderr).toBe('');
      const { spec } = await admin.get(resources.rayClusters, { namespace, name });
      expect(spec?.workerGroupSpecs?.map(({ groupName }) => groupName)).toEqual(['cpus', 'default-group-1']);
      expect(spec?.headGroupSpec.template.spec?.containers[0]?.resources?.requests).toEqual({
        cpu: '3',
        memory: '4Gi',
      });
    });

    it('refuses a file with an unknown key', async () => {
      const file = join(folder, 'unknown.yaml');
      writeFileSync(file, 'head: {cpus: 3}\n');
      expect((await ray(`create cluster x --file ${file}`)).stderr).toBe(
        `Error: failed to parse config file: failed to parse YAML: ${file}: head.cpus is not a known key\n`,
      );
    });

    it.each([
      ['--head-cpu much', /head-cpu is not a valid resource quantity/],
      ['--worker-memory -1Gi', /worker-memory cannot be negative/],
      ['--worker-tpu 1', /gke-tpu-accelerator is not set in --worker-node-selectors/],
      ['--autoscaler v3', /must be one of "v1" or "v2"/],
    ])('refuses %s', async (flags, message) => {
      const { code, stderr } = await ray(`create cluster x ${flags}`);
      expect(code).toBe(2);
      expect(stderr).toMatch(message);
    });

    it('waits until the cluster is provisioned', async () => {
      const name = unique('made');
      const waiting = ray(`create cluster ${name} --wait`, {
        onOutput: (text) => {
          if (text.startsWith('Created')) void withStatus(name, { state: 'ready' });
        },
      });
      expect(await waiting).toMatchObject({
        code: 0,
        stdout: `Created Ray cluster: ${name}\nRay cluster ${name} is provisioned\n`,
      });
    });

    it('ends with exit code 3 when the cluster is not provisioned in time', async () => {
      const name = unique('made');
      expect(await ray(`create cluster ${name} --wait --timeout 300ms`)).toMatchObject({
        code: 3,
        stderr: `Error: timed out waiting for Ray cluster ${name} in namespace ${namespace} to be provisioned\n`,
      });
    });

    it('prints the YAML and creates nothing with --dry-run', async () => {
      const { stdout } = await ray('create cluster dry --dry-run');
      expect(parse(stdout)).toMatchObject({ kind: 'RayCluster', metadata: { name: 'dry', namespace } });
      expect((await ray('get cluster dry')).code).toBe(1);
    });
  });

  describe('create workergroup', () => {
    it('adds a group to a cluster', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      expect((await ray(`create workergroup gpus -c ${name} --worker-gpu 2 --worker-replicas 3`)).stdout).toBe(
        `Updated Ray cluster ${namespace}/${name} with new worker group\n`,
      );
      const { spec } = await admin.get(resources.rayClusters, { namespace, name });
      expect(spec?.workerGroupSpecs?.[1]).toMatchObject({
        groupName: 'gpus',
        replicas: 3,
        minReplicas: 1,
        maxReplicas: 10,
        numOfHosts: 1,
      });
    });

    it('refuses a group that exists', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      expect(await ray(`create workergroup workers -c ${name}`)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/worker group workers already exists/),
      });
    });
  });

  describe('delete', () => {
    it('deletes after a yes, in the given order', async () => {
      const [a, b] = [unique('cluster'), unique('cluster')];
      await createdCluster(a);
      await createdCluster(b);
      const { code, stdout } = await ray(`delete ${a} RayCluster/${b}`, { input: 'YES\n' });
      expect(code).toBe(0);
      expect(stdout).toBe(
        `Are you sure you want to delete the following resources?\n- raycluster/${a}\n- raycluster/${b}\n(y/yes/n/no)Deleted raycluster ${a}\nDeleted raycluster ${b}\n`,
      );
      expect((await ray(`get cluster ${a}`)).code).toBe(1);
    });

    it.each([
      ['no\n', 'Canceled deletion.\n'],
      ['perhaps\n', 'Unknown input perhaps\n'],
    ])('deletes nothing after %j', async (input, said) => {
      const name = unique('cluster');
      await createdCluster(name);
      const { code, stdout } = await ray(`delete ${name}`, { input });
      expect(code).toBe(0);
      expect(stdout.endsWith(`(y/yes/n/no)${said}`)).toBe(true);
      expect((await ray(`get cluster ${name}`)).code).toBe(0);
    });

    it('names what could not be deleted', async () => {
      const { code, stderr } = await ray('delete rayjob/nothing --yes');
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: failed to delete rayjob\/nothing: .*not found/);
    });

    it.each([
      ['pod/x', 'Error: unsupported resource type: pod. Use one of: raycluster, rayjob, rayservice, raycronjob.\n'],
      ['raycluster/', 'Error: invalid resource type/name: raycluster/\n'],
      ['a/b/c', 'Error: invalid resource type/name: a/b/c\n'],
    ])('refuses %s', async (name, stderr) => {
      expect(await ray(`delete ${name} --yes`)).toMatchObject({ code: 2, stderr });
    });
  });

  describe('version', () => {
    it('prints its own version and warns when no operator is found', async () => {
      const { code, stdout } = await ray('version');
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^kubectl ray plugin version: 0\.0\.0-test\nwarning: KubeRay operator installation cannot be found: /,
      );
    });
  });

  describe('job submit', () => {
    it('prints the generated RayJob with --dry-run', async () => {
      const { stdout } = await ray(
        'job submit --dry-run --name train --working-dir . --head-node-selectors os=linux --ttl-seconds-after-finished 0 -- python train.py',
      );
      const [first = '', ...rest] = stdout.split('\n');
      const id = /^Generated submission ID for Ray job: (raysubmit_\w{16})$/.exec(first)?.[1];
      expect(parse(rest.join('\n'))).toMatchObject({
        kind: 'RayJob',
        metadata: { name: 'train', namespace },
        spec: {
          submissionMode: 'InteractiveMode',
          jobId: id,
          entrypoint: 'python train.py',
          shutdownAfterJobFinishes: true,
          rayClusterSpec: { headGroupSpec: { template: { spec: { nodeSelector: { os: 'linux' } } } } },
        },
      });
    });

    it.each([
      ['--name x --working-dir .', 'no entrypoint is given. Put it behind --, e.g. -- python my_script.py'],
      ['--working-dir . -- python x', 'Must set either yaml file (--filename) or set Ray job name (--name)'],
      ['--name x -- python x', 'working directory is required, use --working-dir or set with runtime env'],
      [
        '--name x --working-dir . --ttl-seconds-after-finished -5 -- x',
        '--ttl-seconds-after-finished must be greater than or equal to 0',
      ],
    ])('refuses %s', async (args, message) => {
      const { code, stderr } = await runCli(kubeconfig, ['-n', namespace, 'job', 'submit', ...args.split(' ')]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: `Error: ${message}\n` });
    });
  });

  describe('suspend and resume', () => {
    it('sets spec.suspend', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      expect(await ray(`suspend ${name}`)).toMatchObject({ code: 0, stdout: `Suspended raycluster ${name}\n` });
      expect((await admin.get(resources.rayClusters, { namespace, name })).spec?.suspend).toBe(true);
      expect((await ray(`resume raycluster/${name}`)).stdout).toBe(`Resumed raycluster ${name}\n`);
      expect((await admin.get(resources.rayClusters, { namespace, name })).spec?.suspend).toBe(false);
    });

    it('names what does not exist', async () => {
      expect((await ray('suspend rayjob/nothing')).stderr).toBe(
        `Error: rayjob/nothing not found in namespace ${namespace}\n`,
      );
    });
  });

  describe('job list, job attempts and wait', () => {
    const created = async (name: string, status: RayJob['status']) => {
      await admin.create(resources.rayJobs, {
        metadata: { name, namespace },
        spec: { entrypoint: 'x', clusterSelector: { 'ray.io/cluster': 'c' } },
      });
      const options = { subresource: 'status' };
      await admin.patch(resources.rayJobs, { namespace, name }, { type: 'merge', body: { status } }, options);
    };
    const attempt = {
      number: 1,
      rayClusterName: 'c1',
      submissionId: 'id-1',
      startTime: '2026-01-01T00:00:00Z',
      endTime: '2026-01-01T00:05:30Z',
      outcome: 'Failed',
      reason: 'AppFailed',
    } as const;

    it('shows statuses, attempts and reasons', async () => {
      const name = unique('job');
      await created(name, {
        jobStatus: 'FAILED',
        jobDeploymentStatus: 'Failed',
        reason: 'AppFailed',
        rayClusterName: 'c1',
        attempts: [attempt],
      });
      const row = (await ray('job list')).stdout.split('\n').find((line) => line.startsWith(`${name} `));
      expect(row?.split(/ +/).slice(0, -1)).toEqual([name, 'FAILED', 'Failed', 'c1', '1', 'AppFailed']);
      expect((await ray(`job attempts ${name}`)).stdout.split('\n')[1]?.split(/ {2,}/)).toEqual([
        '1',
        'Failed',
        'AppFailed',
        'c1',
        'id-1',
        '5m30s',
      ]);
    });

    it('waits for the end of a job and fails when the job failed', async () => {
      const [good, bad, slow] = [unique('job'), unique('job'), unique('job')];
      await created(good, { jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
      await created(bad, { jobStatus: 'FAILED', jobDeploymentStatus: 'Failed', message: 'exit code 3' });
      await created(slow, { jobStatus: 'RUNNING', jobDeploymentStatus: 'Running' });
      expect(await ray(`wait rayjob/${good}`)).toMatchObject({
        code: 0,
        stdout: `rayjob/${good} ended with SUCCEEDED\n`,
      });
      expect(await ray(`wait rayjob/${bad}`)).toMatchObject({
        code: 1,
        stderr: `Error: rayjob/${bad} failed: exit code 3\n`,
      });
      expect(await ray(`wait rayjob/${slow} --timeout 300ms`)).toMatchObject({ code: 3 });
    });
  });

  describe('events', () => {
    it('shows the events of an object and of its pods', async () => {
      const name = unique('cluster');
      await createdCluster(name);
      const event = (object: string, kind: string, reason: string) => ({
        metadata: { name: unique('event'), namespace },
        type: 'Warning',
        reason,
        action: 'Test',
        note: 'what happened',
        reportingController: 'test',
        reportingInstance: 'test-1',
        eventTime: '2026-01-01T00:00:00.000000Z',
        regarding: { kind, namespace, name: object, apiVersion: kind === 'Pod' ? 'v1' : 'ray.io/v1' },
      });
      for (const one of [
        event(name, 'RayCluster', 'First'),
        event(`${name}-head-x`, 'Pod', 'Second'),
        event('other', 'Pod', 'Third'),
      ])
        await admin.create(resources.events, one);
      const { stdout } = await ray(`events ${name}`);
      expect(stdout).toContain(`raycluster/${name}`);
      expect(stdout).toContain(`pod/${name}-head-x`);
      expect(stdout).not.toContain('Third');
    });
  });

  describe('a user with few rights', () => {
    it('is told which right is missing, with exit code 4', async () => {
      const weak = kubeconfigOf('cli-weak', []);
      const { code, stderr } = await runCli(weak, ['get', 'cluster', '-n', namespace]);
      expect(code).toBe(4);
      expect(stderr).toMatch(
        /^Error: unable to retrieve Ray clusters for namespace .*: .*cannot list resource "rayclusters"/,
      );
    });
  });

  describe('the connection', () => {
    it('acts as another user with --as', async () => {
      const { code, stderr } = await ray('get cluster --as somebody-else');
      expect(code).toBe(4);
      expect(stderr).toMatch(/User "somebody-else" cannot list/);
    });

    it('says which context does not exist', async () => {
      expect(await ray('get cluster --context nowhere')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/context "nowhere" does not exist/),
      });
    });

    it('says that the server cannot be reached', async () => {
      const { code, stderr } = await ray('get cluster -s https://127.0.0.1:1');
      expect(code).toBe(1);
      expect(stderr).toMatch(/127\.0\.0\.1:1/);
    });
  });
}
