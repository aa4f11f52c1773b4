import {
  defaultFeatureGates,
  type KubeObject,
  type RayCluster,
  type RayClusterSpec,
  readOperatorEnv,
} from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { createMetricsRegistry, type EventInput, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRayClusterCache, optionalInformers, requiredInformers } from '../observe/ray-cluster-cache.ts';
import { createRayClusterController } from './raycluster.ts';

const REF = { name: 'demo', namespace: 'ml' };
const IDLE_MS = 400_000;
let clock: FakeClock;
let client: FakeClient;
let events: EventInput[];
let stop: AbortController;

beforeEach(async () => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  events = [];
  await start();
});
afterEach(() => stop.abort());

/** A new process: it knows nothing of the one before. */
async function start(): Promise<void> {
  stop = new AbortController();
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  const controller = createRayClusterController(world, {
    context: { env: readOperatorEnv({}), gates: defaultFeatureGates(), operatorVersion: '0.1.0', podDefaults: {} },
    facts: {
      kubernetes: [1, 36, 0],
      gitVersion: 'v1.36.0',
      isOpenShift: false,
      hasCertManager: false,
      workloadSchedulingVersion: undefined,
    },
    events: { event: (input) => void events.push(input) },
    cache,
    concurrency: 4,
  });
  for (const informer of [...requiredInformers(cache), ...optionalInformers(cache)]) void informer.run(stop.signal);
  void controller.run(stop.signal, new AbortController().signal);
  await clock.advance(100);
}

async function restart(): Promise<void> {
  stop.abort();
  await clock.settle();
  await start();
}

const apply = (spec: Partial<RayClusterSpec> = {}, metadata: RayCluster['metadata'] = {}) =>
  client.create<RayCluster>(resources.rayClusters, {
    metadata: { ...REF, ...metadata },
    spec: rayClusterSpec({ workerGroupSpecs: [workerGroup('small', { replicas: 2 })], ...spec }),
  });
const cluster = () => client.get<RayCluster>(resources.rayClusters, REF);
const pods = async () => (await client.list(resources.pods)).items;
const podNames = async () => (await pods()).map(({ metadata }) => metadata?.name ?? '').toSorted();
const patchSpec = (spec: object) => client.patch(resources.rayClusters, REF, { type: 'merge', body: { spec } });
const writes = () => client.requests.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)).length;

/** What the kubelet would do. */
async function runPods(): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True', reason: '', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  for (const { metadata } of await pods()) {
    const ref = { name: metadata?.name ?? '', namespace: 'ml' };
    const body = { status: { phase: 'Running', podIP: '10.0.0.1', conditions } };
    await client.patch(resources.pods, ref, { type: 'merge', body }, { subresource: 'status' });
  }
  await clock.advance(5000);
}

describe('a RayCluster', () => {
  it('becomes ready, and then nothing is written any more, not even after a restart', async () => {
    await apply();
    await clock.advance(1000);
    expect(await podNames()).toHaveLength(3);
    await runPods();
    expect((await cluster()).status).toMatchObject({ state: 'ready', readyWorkerReplicas: 2 });
    const before = writes();
    await clock.advance(IDLE_MS);
    await restart();
    await clock.advance(IDLE_MS);
    expect(writes()).toBe(before);
  });

  it('gets a pod back that was deleted by hand, under another name', async () => {
    await apply();
    await clock.advance(1000);
    const [first = ''] = (await podNames()).filter((name) => name.includes('worker'));
    await client.delete(resources.pods, { name: first, namespace: 'ml' });
    await clock.advance(1000);
    expect(await podNames()).toHaveLength(3);
    expect(await podNames()).not.toContain(first);
  });

  it('is suspended as a whole and comes back as a whole', async () => {
    await apply();
    await runPods();
    await patchSpec({ suspend: true });
    await clock.advance(2000);
    expect(await pods()).toEqual([]);
    expect((await cluster()).status?.state).toBe('suspended');
    await patchSpec({ suspend: false });
    await clock.advance(2000);
    expect(await pods()).toHaveLength(3);
    expect(events.filter(({ note }) => note.includes('suspension'))).toHaveLength(1);
  });

  it('is recreated once when its spec changes and it asks for that', async () => {
    await apply({ upgradeStrategy: { type: 'Recreate' } });
    await runPods();
    const before = await podNames();
    await patchSpec({ rayVersion: '2.53.0' });
    await clock.advance(5000);
    expect(await pods()).toHaveLength(3);
    expect((await podNames()).filter((name) => before.includes(name))).toEqual([]);
    expect(events.filter(({ note }) => note.includes('Recreate'))).toHaveLength(1);
  });

  it('that keeps state in Redis goes when its cleanup Job has ended', async () => {
    await apply({ gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } });
    await clock.advance(1000);
    await client.delete(resources.rayClusters, REF);
    await clock.advance(1000);
    const [job] = (await client.list(resources.jobs)).items;
    expect(job?.metadata?.name).toBe('demo-redis-cleanup');
    const body = { status: { conditions: [{ type: 'Complete', status: 'True' }] } };
    const ref = { name: 'demo-redis-cleanup', namespace: 'ml' };
    await client.patch(resources.jobs, ref, { type: 'merge', body }, { subresource: 'status' });
    await clock.advance(1000);
    expect((await client.list(resources.rayClusters)).items).toEqual([]);
  });

  it('that keeps state in Redis goes in time when no Job may be made', async () => {
    await apply({ gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } });
    await clock.advance(1000);
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'create' && path.includes('/jobs')) throw new Error('jobs are forbidden');
    };
    await client.delete(resources.rayClusters, REF);
    await clock.advance(299_000);
    expect((await client.list(resources.rayClusters)).items).toHaveLength(1);
    await clock.advance(2000);
    expect((await client.list(resources.rayClusters)).items).toEqual([]);
    expect(events.map(({ reason }) => reason)).toContain('ForceDeletedStuckCluster');
  });
});

describe('a RayCluster of another operator', () => {
  /** A pod as KubeRay leaves it: a random name, its own version and hash. */
  async function theirPod(name: string, uid: string, labels: Record<string, string>): Promise<void> {
    const ownerReferences = [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'demo', uid, controller: true }];
    const annotations = { 'ray.io/kuberay-version': 'v1.4.2', 'ray.io/upgrade-strategy-recreate-hash': 'ABC123' };
    const metadata = { name, namespace: 'ml', ownerReferences, annotations };
    await client.create<KubeObject>(resources.pods, {
      metadata: { ...metadata, labels: { 'ray.io/cluster': 'demo', ...labels } },
    });
  }

  it.each<[string, Partial<RayClusterSpec>, number]>([
    ['with plain workers', {}, 2],
    [
      'with hosts that were never numbered',
      { workerGroupSpecs: [workerGroup('small', { replicas: 2, numOfHosts: 2 })] },
      4,
    ],
    ['that asks for Recreate', { upgradeStrategy: { type: 'Recreate' } }, 2],
  ])('%s is taken over without touching a pod', async (_, spec, workers) => {
    stop.abort();
    const { metadata } = await apply(spec);
    const uid = metadata?.uid ?? '';
    await theirPod('demo-head-x7k2p', uid, { 'ray.io/node-type': 'head', 'ray.io/group': 'headgroup' });
    const labels = { 'ray.io/node-type': 'worker', 'ray.io/group': 'small' };
    for (let index = 0; index < workers; index += 1) await theirPod(`demo-small-worker-${index}`, uid, labels);
    const before = await podNames();
    await start();
    await runPods();
    await clock.advance(IDLE_MS);
    expect(await podNames()).toEqual(before);
    expect((await cluster()).status?.state).toBe('ready');
  });
});
