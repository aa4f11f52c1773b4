import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type RunPlan, rayJobOf } from './run-job.ts';
import type { RunFlags } from './run-flags.ts';
import { jobNameFor } from './run-package.ts';

const flags: RunFlags = {
  retries: 0,
  gpus: '0',
  image: 'img',
  rayVersion: '2.60.0',
  headCpu: '1',
  headMemory: '2Gi',
  workerCpu: '1',
  workerMemory: '2Gi',
  ttl: 300,
};
const plan = (extra: Partial<RunFlags>, delivery: RunPlan['delivery']): RunPlan => ({
  namespace: 'ns',
  name: 'job',
  jobId: 'raysubmit_x',
  entrypoint: 'python main.py',
  flags: { ...flags, ...extra },
  delivery,
  packageUri: 'gcs://_ray_pkg_abc.zip',
  runtimeEnv: { env_vars: { A: '1' } },
});

describe('rayJobOf()', () => {
  it('mounts a package from a Secret into every pod and lets the operator submit and retry', () => {
    const { spec } = rayJobOf(plan({ retries: 2, workers: 1 }, 'secret'));
    expect(spec).toMatchObject({ submissionMode: 'HTTPMode', backoffLimit: 2, shutdownAfterJobFinishes: true });
    expect(parse(spec?.runtimeEnvYAML ?? '')).toEqual({
      working_dir: 'file:///etc/ray-run/_ray_pkg_abc.zip',
      env_vars: { A: '1' },
    });
    const { headGroupSpec, workerGroupSpecs } = spec?.rayClusterSpec ?? {};
    for (const template of [headGroupSpec?.template, workerGroupSpecs?.[0]?.template])
      expect(template?.spec).toMatchObject({
        containers: [{ volumeMounts: [{ mountPath: '/etc/ray-run', readOnly: true }] }],
        volumes: [{ secret: { secretName: 'job-package', items: [{ path: '_ray_pkg_abc.zip' }] } }],
      });
  });

  it('leaves the submission to this program when the package is uploaded to a new cluster', () => {
    const { spec } = rayJobOf(plan({}, 'upload'));
    expect(spec).toMatchObject({ submissionMode: 'InteractiveMode', jobId: 'raysubmit_x' });
    expect(spec?.runtimeEnvYAML).toBeUndefined();
    expect(spec?.rayClusterSpec?.headGroupSpec.template.spec?.volumes).toBeUndefined();
  });

  it('selects the running cluster that --on names', () => {
    const { spec } = rayJobOf(plan({ on: 'mine' }, 'upload'));
    expect(spec).toMatchObject({ submissionMode: 'HTTPMode', clusterSelector: { 'ray.io/cluster': 'mine' } });
    expect(spec?.rayClusterSpec).toBeUndefined();
    expect(parse(spec?.runtimeEnvYAML ?? '')).toMatchObject({ working_dir: 'gcs://_ray_pkg_abc.zip' });
  });

  it.each([
    [{ gpus: '0' }, 0, undefined],
    [{ gpus: '1' }, 1, undefined],
    [{ gpus: '2', workers: 0 }, 0, '2'],
    [{ workers: 3 }, 3, undefined],
  ])('gives %j its workers and GPUs', (extra, workers, headGpus) => {
    const spec = rayJobOf(plan(extra, 'upload')).spec?.rayClusterSpec;
    expect(spec?.workerGroupSpecs?.[0]?.replicas ?? 0).toBe(workers);
    const requests = spec?.headGroupSpec.template.spec?.containers[0]?.resources?.requests;
    expect(requests?.['nvidia.com/gpu']).toBe(headGpus);
  });
});

describe('jobNameFor()', () => {
  it.each([
    ['/home/me/My Project_2', 'my-project-2-bbbbb'],
    ['/home/me/123', 'run-bbbbb'],
    [`/${'x'.repeat(80)}`, `${'x'.repeat(30)}-bbbbb`],
  ])('names the job of %s', (dir, name) => {
    expect(jobNameFor(dir, () => 0)).toBe(name);
  });
});
