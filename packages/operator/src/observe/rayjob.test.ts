import {
  defaultFeatureGates,
  type Pod,
  type RayCluster,
  type RayJob,
  type RayJobSpec,
  readOperatorEnv,
} from '@manta/api';
import { rayClusterSpec, rayJob, withMetadata, withStatus } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { EMPTY_RAYJOB_MEMORY, type RayJobMemory, type RayJobNeeds, rayJobNeeds, spareObjectName } from '@manta/plan';
import { createMetricsRegistry, type ReconcileContext, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { observeAndRead } from '../reconcile/observe-and-read.ts';
import { createRayClusterCache } from './ray-cluster-cache.ts';
import { createRayHeads } from './ray-heads.ts';
import { observeRayJob, type RayJobObservation, type RayJobObserver, readFromRay } from './rayjob.ts';
import { createRayJobCache } from './rayjob-cache.ts';
import { createSubmitterPods } from './submitter-pods.ts';

const NAMESPACE = 'default';
let client: FakeClient;
let observer: RayJobObserver;
let asked: string[];

beforeEach(() => {
  const clock = new FakeClock();
  client = new FakeClient({ clock });
  asked = [];
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  const poller = {
    ask: (head: { url: string }, question: { id?: string }) => {
      asked.push(`${head.url} ${question.id}`);
      return { kind: 'unknown' };
    },
    forget: (owner: string) => void asked.push(`${owner} is forgotten`),
    release: (owner: string) => void asked.push(`${owner} lets go`),
    results: () => [],
  };
  observer = {
    cache,
    jobs: createRayJobCache(world, []),
    submitterPods: createSubmitterPods(world, []),
    client,
    heads: createRayHeads({ cache, client, clock, clusterDomain: 'cluster.local', throughApiServer: false }),
    poller: poller as never,
    context: { env: readOperatorEnv({}), gates: defaultFeatureGates(), operatorVersion: '0', podDefaults: {} },
    parseYaml: () => undefined,
    now: () => clock.now(),
    steady: () => clock.now(),
  };
});

/** Observes and reads like the reconcile pipeline. */
function observe(freshness: ReconcileContext['freshness'], memory: RayJobMemory = EMPTY_RAYJOB_MEMORY) {
  const context = { key: 'default/job', freshness, signal: new AbortController().signal } as ReconcileContext;
  return observeAndRead<RayJobObservation, RayJobMemory, RayJobNeeds>(
    {
      observe: (each) => observeRayJob(observer, each),
      needs: rayJobNeeds,
      read: (observed, needs) => readFromRay(observer, observed, needs, context),
    },
    memory,
    context,
  );
}

async function create(status: RayJob['status'] = {}): Promise<void> {
  await client.create(
    resources.rayJobs,
    rayJob('job', withStatus<RayJob>(status), withMetadata({ namespace: NAMESPACE })),
  );
  const metadata = { name: 'job-x', namespace: NAMESPACE };
  const made = await client.create<RayCluster>(resources.rayClusters, { metadata, spec: rayClusterSpec() });
  const uid = made.metadata?.uid ?? '';
  const ownerReferences = [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'job-x', uid, controller: true }];
  const pod = (name: string, nodeType: string): Pod => ({
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { 'ray.io/cluster': 'job-x', 'ray.io/node-type': nodeType },
      ownerReferences,
    },
  });
  await client.create(resources.pods, pod('head', 'head'));
  await client.create(resources.pods, pod('worker', 'worker'));
  await client.create(resources.jobs, { metadata: { name: 'job', namespace: NAMESPACE } });
  await client.create(resources.services, { metadata: { name: 'job-head-svc', namespace: NAMESPACE } });
}

/** Where the head Service of the cluster offers the dashboard. */
const THERE = 'job-x-head-svc.default.svc.cluster.local:1';

describe('a job that the cache does not show', () => {
  it('is read from the server with all that belongs to it', async () => {
    await create({ jobId: 'id', rayClusterName: 'job-x', dashboardURL: THERE, jobDeploymentStatus: 'Running' });
    const observed = await observe('live');
    expect(observed?.cluster?.metadata?.name).toBe('job-x');
    expect(observed?.heads.map(({ name }) => name)).toEqual(['head']);
    expect(observed).toMatchObject({ podCount: 2, submitter: { name: 'job' }, headService: { name: 'job-head-svc' } });
    expect(observed?.answer).toEqual({ kind: 'awaited' });
    expect(observed?.head?.url).toBe(`http://${THERE}`);
    expect(asked).toEqual([`http://${THERE} id`]);
  });

  it('has nothing but itself before it has a name for its cluster', async () => {
    await create();
    const observed = await observe('live');
    expect(observed).toMatchObject({ cluster: undefined, heads: [], podCount: 0, answer: { kind: 'unasked' } });
    expect(asked).toEqual(['rayjob/default/job is forgotten', 'rayjob/default/job lets go']);
  });

  it('is for a cluster that names its Secret where another has the usual one', async () => {
    const name = `a${'b'.repeat(52)}`;
    await create({ jobId: 'id', rayClusterName: name });
    const spec = rayClusterSpec({ authOptions: { mode: 'token' } });
    const cluster = await client.create<RayCluster>(resources.rayClusters, {
      metadata: { name, namespace: NAMESPACE },
      spec,
    });
    const secrets = { get: () => ({ name: '', uid: '', owner: cluster.metadata?.uid }) };
    observer = { ...observer, cache: { ...observer.cache, secrets: secrets as never } };
    const observed = await observe('live');
    expect(observed?.cluster?.spec?.authOptions?.secretName).toBe(spareObjectName(name));
  });

  it('is no job when the server has none', async () => {
    expect(await observe('live')).toBeUndefined();
  });
});

describe('a job that Ray does not know, as far as the cache shows', () => {
  const status = {
    jobId: 'id',
    rayClusterName: 'job-x',
    dashboardURL: THERE,
    jobDeploymentStatus: 'Running',
  } as const;
  const submitted = { id: 'submit/id', state: 'failed', at: 0, error: new Error('no answer') };

  /** How often the server is asked for the head. */
  async function readsOf(
    spec: Partial<RayJobSpec>,
    tried: readonly object[] = [],
    memory: RayJobMemory = EMPTY_RAYJOB_MEMORY,
  ): Promise<number> {
    await create(status);
    const job = await client.get(resources.rayJobs, { name: 'job', namespace: NAMESPACE });
    const cluster = await client.get(resources.rayClusters, { name: 'job-x', namespace: NAMESPACE });
    const poller = {
      ...observer.poller,
      ask: () => ({ kind: 'known', value: undefined, at: 0 }),
      results: () => tried,
    };
    const seen = { ...job, spec: { ...job.spec, ...spec } };
    observer = {
      ...observer,
      jobs: { get: () => seen } as never,
      cache: { ...observer.cache, clusters: { get: () => cluster, by: () => [] } as never },
      poller: poller as never,
    };
    client.requests.length = 0;
    await observe('cached', memory);
    return client.requests.filter(({ verb, path }) => verb === 'list' && path.endsWith('/pods')).length;
  }
  const http = { submissionMode: 'HTTPMode' } as const;
  const handedOver = { handedOverJobId: 'id' };

  it('is looked at on the server before it is submitted by a process that did not bring it there', async () => {
    expect(await readsOf(http)).toBe(1);
  });

  it('is looked at on the server when it may have been submitted before', async () => {
    expect(await readsOf(http, [submitted], handedOver)).toBe(1);
  });

  it('is not looked at there again and again while Ray refuses it', async () => {
    expect(await readsOf(http, [{ ...submitted, at: observer.now() }])).toBe(0);
  });

  it('is submitted without further questions by the process that brought it there', async () => {
    expect(await readsOf(http, [], handedOver)).toBe(0);
  });

  it('is left to its submitter', async () => {
    expect(await readsOf({ submissionMode: 'K8sJobMode' })).toBe(0);
  });
});

describe('a job whose cluster, or whose head, the cache does not show', () => {
  const spec = { submissionMode: 'SidecarMode' } as const;
  const status = { jobId: 'id', rayClusterName: 'job-x', jobDeploymentStatus: 'Running' } as const;

  /** What a process sees that is behind by any time, and last looked at the job so many seconds ago. */
  async function seenAfter(seconds: number, cluster: RayCluster | undefined, given: RayJob['status'] = status) {
    await create(given);
    const job = await client.get(resources.rayJobs, { name: 'job', namespace: NAMESPACE });
    const jobs = { get: () => ({ ...job, spec: { ...job.spec, ...spec } }) } as never;
    const clusters = { get: () => cluster, by: () => [] } as never;
    observer = { ...observer, jobs, cache: { ...observer.cache, clusters } };
    client.requests.length = 0;
    return await observe('cached', { clusterMissingSince: observer.steady() - seconds * 1000 });
  }

  it('is looked at on the server before it counts as lost with its cluster', async () => {
    const observed = await seenAfter(5, undefined);
    expect(observed?.cluster?.metadata?.name).toBe('job-x');
  });

  it('is looked at on the server before it counts as lost with its head', async () => {
    const observed = await seenAfter(0, { metadata: { name: 'job-x', namespace: NAMESPACE } });
    expect(observed?.heads.map(({ name }) => name)).toEqual(['head']);
  });

  it('is looked at on the server before its cluster is made a second time', async () => {
    const observed = await seenAfter(5, undefined, { ...status, jobDeploymentStatus: 'Initializing' });
    expect(observed?.cluster?.metadata?.name).toBe('job-x');
  });

  it('costs no question while nothing is decided', async () => {
    const observed = await seenAfter(4, undefined);
    expect(observed?.cluster).toBeUndefined();
    expect(client.requests).toEqual([]);
  });
});
