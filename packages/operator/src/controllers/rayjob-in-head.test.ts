import { defaultFeatureGates, type RayJob, readOperatorEnv } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { fakeSend } from '@manta/ray/testing';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseKubernetesYaml } from '../kubernetes-yaml.ts';
import { createRayClusterCache, optionalInformers, requiredInformers } from '../observe/ray-cluster-cache.ts';
import { createRayJobCache } from '../observe/rayjob-cache.ts';
import { createRayAccess } from './ray-access.ts';
import { createRayJobController } from './rayjob.ts';
import { NO_JOB_METRICS } from './rayjob-metrics.ts';

const JOB = { name: 'job', namespace: 'ml' };
const context = { env: readOperatorEnv({}), gates: defaultFeatureGates(), operatorVersion: '0.1.0', podDefaults: {} };
let clock: FakeClock;
let client: FakeClient;
let stop: AbortController;

beforeEach(async () => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  await start();
});
afterEach(() => stop.abort());

/** A new process: it knows nothing of the one before. */
async function start(): Promise<void> {
  stop = new AbortController();
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  const jobs = createRayJobCache(world, []);
  const send = fakeSend(clock, () => undefined);
  const ray = createRayAccess(world, { cache, send, clusterDomain: 'cluster.local', throughApiServer: false });
  const events = { event: () => undefined };
  const tools = { context, cache, jobs, events, parseYaml: parseKubernetesYaml, metrics: NO_JOB_METRICS };
  const controller = createRayJobController(world, { ...ray, ...tools, concurrency: 2 });
  stop.signal.addEventListener('abort', () => ray.poller.close());
  for (const informer of [jobs, ...requiredInformers(cache), ...optionalInformers(cache)])
    void informer.run(stop.signal);
  void controller.run(stop.signal, new AbortController().signal);
  await clock.advance(100);
}

async function create(): Promise<void> {
  const spec = { entrypoint: 'python a.py', submissionMode: 'SidecarMode', rayClusterSpec: rayClusterSpec() } as const;
  await client.create<RayJob>(resources.rayJobs, { metadata: JOB, spec });
  await clock.advance(1000);
}

const refuseClusters = (isRefused: boolean) => {
  client.faults.onRequest = ({ verb, path }) => {
    if (isRefused && verb === 'create' && path.includes('rayclusters')) throw new Error('not today');
  };
};
const clusters = async () => (await client.list(resources.rayClusters)).items.map(({ metadata }) => metadata?.name);
const attempts = async () =>
  (await client.get<RayJob>(resources.rayJobs, JOB)).status?.attempts?.map(({ number, outcome }) => [number, outcome]);

describe('the cluster of a job that is submitted from within its head', () => {
  it('is made at once, and once', async () => {
    await create();
    await clock.advance(20_000);
    expect(await clusters()).toHaveLength(1);
    expect(await attempts()).toEqual([[1, undefined]]);
  });

  it('is made when the server no longer refuses it, which is no other attempt', async () => {
    refuseClusters(true);
    await create();
    await clock.advance(30_000);
    refuseClusters(false);
    await clock.advance(60_000);
    expect(await clusters()).toHaveLength(1);
    expect(await attempts()).toEqual([[1, undefined]]);
  });

  it('is made again when it was deleted, but first that is written down', async () => {
    await create();
    const [name = ''] = await clusters();
    await client.delete(resources.rayClusters, { name, namespace: JOB.namespace });
    const told: unknown[] = [];
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'create' && path.includes('rayclusters')) told.push(attempts());
    };
    await clock.advance(10_000);
    const twice = [
      [1, 'Lost'],
      [2, undefined],
    ];
    expect(await Promise.all(told)).toEqual([twice]);
    expect(await clusters()).toEqual([name]);
    await clock.advance(30_000);
    expect(await attempts()).toEqual(twice);
  });

  it('is not made again while the server does not let that be written down', async () => {
    await create();
    const [name = ''] = await clusters();
    await client.delete(resources.rayClusters, { name, namespace: JOB.namespace });
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'patch' && path.includes('rayjobs')) throw new Error('not today');
    };
    await clock.advance(60_000);
    expect(await clusters()).toEqual([]);
    client.faults.onRequest = undefined;
    await clock.advance(60_000);
    expect(await clusters()).toEqual([name]);
  });

  it('is made by a process that starts when it only has a name, as another attempt', async () => {
    refuseClusters(true);
    await create();
    stop.abort();
    await clock.settle();
    refuseClusters(false);
    await start();
    await clock.advance(10_000);
    expect(await clusters()).toHaveLength(1);
    expect(await attempts()).toEqual([
      [1, 'Lost'],
      [2, undefined],
    ]);
  });
});
