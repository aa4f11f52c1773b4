import {
  defaultFeatureGates,
  type RayCluster,
  type RayJob,
  type RayJobSpec,
  readOperatorEnv,
  type Service,
} from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources, systemClock } from '@manta/kube';
import { createHttpSend, createRayClient, type RaySend } from '@manta/ray';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { FakeClient } from '@manta/runtime/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRayAccess } from '../../packages/operator/src/controllers/ray-access.ts';
import { NO_JOB_METRICS } from '../../packages/operator/src/controllers/rayjob-metrics.ts';
import { createRayJobController } from '../../packages/operator/src/controllers/rayjob.ts';
import { parseKubernetesYaml } from '../../packages/operator/src/kubernetes-yaml.ts';
import {
  createRayClusterCache,
  optionalInformers,
  requiredInformers,
} from '../../packages/operator/src/observe/ray-cluster-cache.ts';
import { createRayJobCache } from '../../packages/operator/src/observe/rayjob-cache.ts';
import { createSubmitterPods } from '../../packages/operator/src/observe/submitter-pods.ts';
import { type LocalRayHead, startRayHead } from '../support/ray-head.ts';
import { provideRay } from '../../packages/manta/src/local/provide-ray.ts';

const NAMESPACE = 'ml';
const patience = { timeout: 90_000, interval: 200 };
const http = createHttpSend();
const client = new FakeClient({ clock: systemClock });
const stop = new AbortController();
let head: LocalRayHead;

/** Whatever the Service is called, behind it is the one head of this machine. */
const send: RaySend = (request) =>
  http.send({ ...request, url: request.url.replace(/^http:\/\/[^/]+/, new URL(head.url).origin) });

beforeAll(async () => {
  head = await startRayHead({ venv: await provideRay() });
  startController();
}, 300_000);
afterAll(async () => {
  stop.abort();
  http.close();
  await head.stop();
}, 60_000);

function startController(): void {
  const world = {
    clock: systemClock,
    client,
    random: Math.random,
    log: silentLogger,
    metrics: createMetricsRegistry(),
  };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  const jobs = createRayJobCache(world, []);
  const submitterPods = createSubmitterPods(world, []);
  const ray = createRayAccess(world, { cache, send, clusterDomain: 'cluster.local', throughApiServer: false });
  const controller = createRayJobController(world, {
    ...ray,
    context: {
      env: readOperatorEnv({}),
      gates: defaultFeatureGates(),
      operatorVersion: '0.0.0-test',
      podDefaults: {},
    },
    cache,
    jobs,
    submitterPods,
    events: { event: () => undefined },
    parseYaml: parseKubernetesYaml,
    concurrency: 4,
    metrics: NO_JOB_METRICS,
  });
  ray.tell('rayjob', controller);
  stop.signal.addEventListener('abort', () => ray.poller.close());
  for (const informer of [jobs, submitterPods, ...requiredInformers(cache), ...optionalInformers(cache)])
    void informer.run(stop.signal);
  void controller.run(stop.signal, new AbortController().signal);
}

/** Makes a job, and its cluster as the RayCluster controller would. */
async function run(name: string, spec: Partial<RayJobSpec>): Promise<void> {
  await client.create<RayJob>(resources.rayJobs, {
    metadata: { name, namespace: NAMESPACE },
    spec: { submissionMode: 'HTTPMode', rayClusterSpec: rayClusterSpec(), jobId: `${name}-id`, ...spec },
  });
  const cluster = await expect
    .poll(async () => (await status(name)).rayClusterName, patience)
    .toBeTruthy()
    .then(async () => (await status(name)).rayClusterName ?? '');
  await expect
    .poll(() => client.get(resources.rayClusters, { name: cluster, namespace: NAMESPACE }), patience)
    .toBeTruthy();
  const { metadata } = await client.get(resources.rayClusters, { name: cluster, namespace: NAMESPACE });
  const owner = {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    name: cluster,
    uid: metadata?.uid ?? '',
    controller: true,
  };
  await client.create<Service>(resources.services, {
    metadata: { name: `${cluster}-head-svc`, namespace: NAMESPACE, ownerReferences: [owner] },
    spec: { selector: { 'ray.io/cluster': cluster }, ports: [{ name: 'dashboard', port: 8265 }] },
  });
  const body = { status: { state: 'ready' } };
  await client.patch<RayCluster>(
    resources.rayClusters,
    { name: cluster, namespace: NAMESPACE },
    { type: 'merge', body },
    { subresource: 'status' },
  );
}

const status = async (name: string) =>
  (await client.get<RayJob>(resources.rayJobs, { name, namespace: NAMESPACE })).status ?? {};
const stage = (name: string) => async () => {
  const { jobDeploymentStatus, jobStatus } = await status(name);
  return `${jobDeploymentStatus}/${jobStatus}`;
};
const inRay = async (name: string) => {
  const response = await fetch(`${head.url}/api/jobs/${name}-id`);
  return ((await response.json()) as { readonly status: string }).status;
};

describe('a RayJob in HTTPMode on real Ray', () => {
  test('succeeds, with its environment and its metadata, under the id that it was given', async () => {
    await run('good', {
      entrypoint: `python -c "import os; assert os.environ['A'] == 'yes'"`,
      runtimeEnvYAML: 'env_vars: {A: "yes"}',
      metadata: { team: 'tests' },
    });
    await expect.poll(stage('good'), patience).toBe('Complete/SUCCEEDED');
    expect((await status('good')).rayJobInfo).toMatchObject({ startTime: /T/, endTime: /T/ });
  });

  test('fails with what Ray has to say about it', async () => {
    await run('bad', { entrypoint: 'python -c "raise SystemExit(3)"' });
    await expect.poll(stage('bad'), patience).toBe('Failed/FAILED');
    expect(await status('bad')).toMatchObject({ reason: 'AppFailed', message: /./ });
  });

  test('is stopped when it is deleted', async () => {
    await run('gone', { entrypoint: 'sleep 600' });
    await expect.poll(stage('gone'), patience).toBe('Running/RUNNING');
    await client.delete(resources.rayJobs, { name: 'gone', namespace: NAMESPACE });
    await expect.poll(() => inRay('gone'), patience).toBe('STOPPED');
    await expect
      .poll(
        () =>
          status('gone').then(
            () => 'there',
            () => 'gone',
          ),
        patience,
      )
      .toBe('gone');
  });

  test('is complete when somebody else stopped it', async () => {
    await run('halted', { entrypoint: 'sleep 600' });
    await expect.poll(stage('halted'), patience).toBe('Running/RUNNING');
    // Ray takes no POST that looks like a browser's, as those of `fetch` do.
    await createRayClient({ clock: systemClock, send: http.send, head: { url: head.url } }).stopJob('halted-id');
    await expect.poll(stage('halted'), patience).toBe('Complete/STOPPED');
  });

  test('that a new head has forgotten is run once more, and that is written down', async () => {
    await run('again', { entrypoint: 'sleep 600' });
    await expect.poll(stage('again'), patience).toBe('Running/RUNNING');
    await head.restart();
    await expect.poll(() => inRay('again'), patience).toBe('RUNNING');
    await expect.poll(stage('again'), patience).toBe('Running/RUNNING');
    const outcomes = (await status('again')).attempts?.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['Lost', undefined]);
  });
});
