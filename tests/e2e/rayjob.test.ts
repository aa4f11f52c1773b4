import type { RayJob } from '@manta/api';
import { podLogLines, resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay } from './support/local-ray.ts';
import { create, exec, NAMESPACE, podOf, podsOf, until, untilObject } from './support/look.ts';
import { clusterSpec, rayCluster } from './support/manifests.ts';
import { type LocalRayApart, startOperatorApart } from './support/operator-apart.ts';

const job = (name: string, spec: string) =>
  `{ apiVersion: ray.io/v1, kind: RayJob, metadata: { name: ${name} }, spec: { ${spec} } }`;
const onShared = 'clusterSelector: { ray.io/cluster: shared }';
const entrypoint = (command: string) => `entrypoint: ${JSON.stringify(command)}`;
const hello = (word: string) =>
  entrypoint(`python -c "import ray; ray.init(); print('${word}', ray.cluster_resources()['CPU'])"`);
const isOver = ({ status }: RayJob) => ['Complete', 'Failed'].includes(status?.jobDeploymentStatus ?? '');

describe('a RayJob on real Ray, whose operator is killed in the middle of it and started again,', () => {
  let ray: LocalRayApart;
  const head = async (cluster: string) => (await podOf(ray, cluster, 'head'))?.metadata?.name ?? '';
  const over = (name: string) => untilObject(ray, resources.rayJobs, name, isOver);
  /** Kills the operator as soon as the job is so far, and waits for the job's end. */
  async function overWithKill(name: string, isSoFar: (status: NonNullable<RayJob['status']>) => boolean) {
    await untilObject(ray, resources.rayJobs, name, ({ status = {} }) => isSoFar(status));
    await ray.killOperator();
    return await over(name);
  }
  const isRunning = ({ jobDeploymentStatus }: NonNullable<RayJob['status']>) => jobDeploymentStatus === 'Running';

  beforeAll(async () => {
    ray = await startOperatorApart();
    await create(ray, rayCluster('shared'));
    await untilObject(ray, resources.rayClusters, 'shared', ({ status }) => status?.state === 'ready');
  });
  afterAll(() => endLocalRay(ray));

  async function submitterLog(name: string): Promise<string> {
    const [pod] = await podsOf(ray, { 'job-name': name });
    const lines: string[] = [];
    const options = { namespace: NAMESPACE, pod: pod?.metadata?.name ?? '' };
    for await (const line of podLogLines(ray.transport, options)) lines.push(line);
    return lines.join('\n');
  }

  async function submissions(): Promise<number> {
    const list =
      'from ray.job_submission import JobSubmissionClient as C; print(len(C("http://127.0.0.1:8265").list_jobs()))';
    return Number(await exec(ray, await head('shared'), ['python', '-c', list]));
  }

  it('is submitted by a Kubernetes Job, whose log has its output', async () => {
    await create(ray, job('k8s', `${hello('by a Job')}, ${onShared}`));
    const { status } = await overWithKill('k8s', isRunning);
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
    expect(await submitterLog('k8s')).toContain('by a Job 1.0');
  });

  it('is complete although its submitter has a native sidecar that never ends by itself, like a proxy of a service mesh', async () => {
    const sidecar = '{ name: proxy, image: busybox, restartPolicy: Always, command: [sleep, infinity] }';
    const submitter = '{ name: ray-job-submitter, image: "rayproject/ray:2.53.0" }';
    const template = `{ spec: { restartPolicy: Never, initContainers: [${sidecar}], containers: [${submitter}] } }`;
    await create(ray, job('mesh', `${hello('in a mesh')}, ${onShared}, submitterPodTemplate: ${template}`));
    const { status } = await over('mesh');
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
    expect((await podsOf(ray, { 'job-name': 'mesh' })).map((pod) => pod.status?.phase)).toEqual(['Succeeded']);
  });

  it('that fails says so, with its last words', async () => {
    await create(ray, job('bad', `${entrypoint(`python -c "raise SystemExit('no luck')"`)}, ${onShared}`));
    const { status } = await overWithKill('bad', isRunning);
    expect(status).toMatchObject({ jobStatus: 'FAILED', jobDeploymentStatus: 'Failed', reason: 'AppFailed' });
    expect(await submitterLog('bad')).toContain('no luck');
  });

  it('that fails in HTTPMode says so, with its last words', async () => {
    const words = entrypoint(`python -c "raise SystemExit('no luck over HTTP')"`);
    await create(ray, job('bad-http', `submissionMode: HTTPMode, ${words}, ${onShared}`));
    const { status } = await overWithKill('bad-http', isRunning);
    expect(status).toMatchObject({ jobStatus: 'FAILED', jobDeploymentStatus: 'Failed', reason: 'AppFailed' });
    expect(status?.message).toContain('no luck over HTTP');
  });

  it('is submitted by the operator itself in HTTPMode, and no second time', async () => {
    const before = await submissions();
    await create(ray, job('http', `submissionMode: HTTPMode, ${hello('over HTTP')}, ${onShared}`));
    const { status } = await overWithKill('http', isRunning);
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
    expect(await exec(ray, await head('shared'), ['ray', 'job', 'logs', status?.jobId ?? ''])).toContain(
      'over HTTP 1.0',
    );
    expect(await submissions()).toBe(before + 1);
  });

  it('has the packages that its runtime environment names', async () => {
    const command = entrypoint('python -c "import humanize; print(humanize.__file__)"');
    const packages = 'runtimeEnvYAML: "pip: [humanize]"';
    await create(ray, job('pip', `submissionMode: HTTPMode, ${command}, ${packages}, ${onShared}`));
    const { status } = await overWithKill('pip', isRunning);
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED' });
    const said = await exec(ray, await head('shared'), ['ray', 'job', 'logs', status?.jobId ?? '']);
    expect(said).toContain('/runtime_resources/pip/');
  });

  it.each([
    ['mine', 'echo by hand', 'SUCCEEDED'],
    ['mine-too', 'false', 'FAILED'],
  ])(
    'waits for its user in InteractiveMode, and follows the job that the user submits: %s, %s',
    async (name, command, end) => {
      await create(ray, job(name, `submissionMode: InteractiveMode, ${onShared}`));
      await untilObject(ray, resources.rayJobs, name, ({ status }) => status?.jobDeploymentStatus === 'Waiting');
      await ray.killOperator();
      const jobId = `${name}-by-hand`;
      const submit = ['ray', 'job', 'submit', '--no-wait', `--submission-id=${jobId}`, '--', ...command.split(' ')];
      await exec(ray, await head('shared'), submit);
      const body = { spec: { jobId } };
      await ray.client.patch(resources.rayJobs, { namespace: NAMESPACE, name }, { type: 'merge', body });
      expect((await over(name)).status).toMatchObject({ jobId, jobStatus: end });
    },
  );

  it('is submitted by a container beside its own head in SidecarMode, and its cluster goes with it', async () => {
    // Two clusters at once are too much for a small machine.
    await ray.client.delete(resources.rayClusters, { namespace: NAMESPACE, name: 'shared' });
    const own = `rayClusterSpec: ${clusterSpec()}, shutdownAfterJobFinishes: true`;
    await create(ray, job('side', `submissionMode: SidecarMode, ${hello('beside')}, ${own}`));
    const { status } = await overWithKill('side', ({ rayClusterName = '' }) => rayClusterName !== '');
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete' });
    const left = async () => (await ray.client.list(resources.rayClusters, { namespace: NAMESPACE })).items;
    expect(await until('no cluster', left, (clusters) => clusters.length === 0)).toEqual([]);
  });

  it('that fails at first in SidecarMode is run again on a cluster of its own', async () => {
    const spec = clusterSpec()
      .replace('containers: [{', 'volumes: [{ name: v, persistentVolumeClaim: { claimName: seen } }], containers: [{')
      .replace('name: ray-head,', 'name: ray-head, volumeMounts: [{ name: v, mountPath: /seen }],');
    const claim = '{ accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Mi } } }';
    await create(ray, `{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: seen }, spec: ${claim} }`);
    // The first run leaves a mark and fails, the second one finds it.
    const mark = "import os; seen = os.path.exists('/seen/once'); open('/seen/once', 'w'); exit(not seen)";
    const work = entrypoint(`python -c "${mark}"`);
    const own = `rayClusterSpec: ${spec}, backoffLimit: 1, shutdownAfterJobFinishes: true`;
    await create(ray, job('again', `submissionMode: SidecarMode, ${work}, ${own}`));
    const { status } = await overWithKill('again', ({ failed = 0 }) => failed === 1);
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Complete', failed: 1, succeeded: 1 });
  });
});
