import {
  defaultFeatureGates,
  type EndpointSlice,
  type KubeObject,
  type RayCluster,
  type RayService,
  type RayServiceSpec,
  readOperatorEnv,
  type Service,
} from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { FakeHead, fakeSend } from '@manta/ray/testing';
import { createMetricsRegistry, type EventInput, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseKubernetesYaml } from '../kubernetes-yaml.ts';
import { createRayClusterCache, optionalInformers, requiredInformers } from '../observe/ray-cluster-cache.ts';
import { createRayServiceCache, rayServiceInformers } from '../observe/rayservice-cache.ts';
import { createRayAccess } from './ray-access.ts';
import { createRayServiceController } from './rayservice.ts';

const REF = { name: 'svc', namespace: 'ml' };
const CONFIG = 'applications:\n- name: app\n  import_path: app:graph\n';
const context = { env: readOperatorEnv({}), gates: defaultFeatureGates(), operatorVersion: '0.1.0', podDefaults: {} };
let clock: FakeClock;
let client: FakeClient;
let events: EventInput[];
/** By the name of their cluster. */
let heads: Map<string, FakeHead>;
let stop: AbortController;

beforeEach(async () => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  events = [];
  heads = new Map();
  await start();
});
afterEach(() => stop.abort());

/** A new process: it knows nothing of the one before. */
async function start(): Promise<void> {
  stop = new AbortController();
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  const serviceCache = createRayServiceCache(world, { namespaces: [], gates: context.gates });
  const byPort = (origin: string) => [...heads.values()].find((head) => origin === `http://${ipOf(head)}:8000`);
  const byName = (origin: string) => heads.get(/^http:\/\/(.*)-head-svc\./.exec(origin)?.[1] ?? '');
  const send = fakeSend(clock, (origin) => byName(origin) ?? byPort(origin));
  const ray = createRayAccess(world, { cache, send, clusterDomain: 'cluster.local', throughApiServer: false });
  const controller = createRayServiceController(world, {
    context,
    events: { event: (input) => void events.push(input) },
    cache,
    serviceCache,
    ray,
    parseYaml: parseKubernetesYaml,
    concurrency: 4,
  });
  ray.tell('rayservice', controller);
  stop.signal.addEventListener('abort', () => ray.poller.close());
  const informers = [...requiredInformers(cache), ...optionalInformers(cache), ...rayServiceInformers(serviceCache)];
  for (const informer of informers) void informer.run(stop.signal);
  void controller.run(stop.signal, new AbortController().signal);
  await clock.advance(100);
}

async function restart(): Promise<void> {
  stop.abort();
  await clock.settle();
  await start();
}

const ipOf = (head: FakeHead) => `10.0.0.${[...heads.values()].indexOf(head) + 1}`;
const service = () => client.get<RayService>(resources.rayServices, REF);
const status = async () => (await service()).status ?? {};
const clusters = async () => (await client.list(resources.rayClusters)).items;
const activeName = async () => (await status()).activeServiceStatus?.rayClusterName ?? '';
const pendingName = async () => (await status()).pendingServiceStatus?.rayClusterName ?? '';
const writes = () => client.requests.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)).length;
const reasonOf = async (type: string) => (await status()).conditions?.find((each) => each.type === type)?.reason;
const headOf = (name: string) => {
  const head = heads.get(name);
  if (head === undefined) throw new Error(`no head of ${name}`);
  return head;
};

async function create(spec: Partial<RayServiceSpec> = {}): Promise<void> {
  const rayClusterConfig = rayClusterSpec({ workerGroupSpecs: [workerGroup('workers')] });
  await client.create<RayService>(resources.rayServices, {
    metadata: REF,
    spec: { serveConfigV2: CONFIG, rayClusterConfig, ...spec },
  });
  await clock.advance(500);
}

const edit = async (spec: object) => {
  await client.patch(resources.rayServices, REF, { type: 'merge', body: { spec } });
  await clock.advance(500);
};

/** What the RayCluster controller, the kubelet and Ray would do for every cluster that has nothing yet. */
async function bringUp(setUp: (head: FakeHead) => void = () => undefined): Promise<void> {
  for (const { metadata } of await clusters()) {
    const name = metadata?.name ?? '';
    if (heads.has(name)) continue;
    const head = new FakeHead({ now: () => clock.now() });
    setUp(head);
    heads.set(name, head);
    await makeHeadPod(name, ipOf(head), metadata?.uid ?? '');
    await client.create<Service>(resources.services, {
      metadata: { name: `${name}-head-svc`, namespace: 'ml', ownerReferences: ownedBy(name, metadata?.uid ?? '') },
      spec: { ports: [{ name: 'dashboard', port: 8265 }], selector: { 'ray.io/cluster': name } },
    });
    const conditions = [
      { type: 'HeadPodReady', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ];
    const body = { status: { conditions } };
    const ref = { name, namespace: 'ml' };
    await client.patch<RayCluster>(resources.rayClusters, ref, { type: 'merge', body }, { subresource: 'status' });
  }
  await clock.advance(3000);
}

const ownedBy = (name: string, uid: string) => [
  { apiVersion: 'ray.io/v1', kind: 'RayCluster', name, uid, controller: true },
];

async function makeHeadPod(cluster: string, podIP: string, owner: string): Promise<void> {
  const ref = { name: `${cluster}-head`, namespace: 'ml' };
  const labels = { 'ray.io/cluster': cluster, 'ray.io/node-type': 'head', 'ray.io/serve': 'false' };
  const ownerReferences = ownedBy(cluster, owner);
  await client.create<KubeObject>(resources.pods, { metadata: { ...ref, labels, ownerReferences } });
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const body = { status: { phase: 'Running', podIP, conditions } };
  await client.patch(resources.pods, ref, { type: 'merge', body }, { subresource: 'status' });
}

/** What the EndpointSlice controller would do for the serve Service. */
async function setEndpoints(...uids: readonly string[]): Promise<void> {
  const metadata = {
    name: 'svc-serve-svc-x',
    namespace: 'ml',
    labels: { 'kubernetes.io/service-name': 'svc-serve-svc' },
  };
  const endpoints = uids.map((uid) => ({ addresses: ['10.0.0.9'], conditions: { ready: true }, targetRef: { uid } }));
  const slice: EndpointSlice = { addressType: 'IPv4', metadata, endpoints };
  await client.delete(resources.endpointSlices, { name: 'svc-serve-svc-x', namespace: 'ml' }).catch(() => undefined);
  await client.create(resources.endpointSlices, slice);
  await clock.advance(500);
}

async function running(spec: Partial<RayServiceSpec> = {}): Promise<void> {
  await create(spec);
  await bringUp();
  await setEndpoints('pod-1', 'pod-2', 'pod-1');
}

const selected = async (name: string) =>
  (await client.get<Service>(resources.services, { name, namespace: 'ml' })).spec?.selector?.['ray.io/cluster'];

describe('a RayService', () => {
  it('is served: cluster, configuration, label, Services, and each pod counted once', async () => {
    await running();
    expect(await status()).toMatchObject({ serviceStatus: 'Running', numServeEndpoints: 2 });
    const name = await activeName();
    expect(headOf(name).serveConfigs).toEqual([{ applications: [{ name: 'app', import_path: 'app:graph' }] }]);
    expect(await selected('svc-serve-svc')).toBe(name);
    const pod = await client.get(resources.pods, { name: `${name}-head`, namespace: 'ml' });
    expect(pod.metadata?.labels?.['ray.io/serve']).toBe('true');
    expect((await status()).activeServiceStatus?.applicationStatuses).toMatchObject({ app: { status: 'RUNNING' } });
  });

  it('takes over by the first answer after the PUT, also when both arrive during one write', async () => {
    await create();
    const patch = client.patch.bind(client);
    client.patch = async (type, ...rest) => {
      if (type.kind === 'RayService') await new Promise<void>((done) => void clock.setTimer(300, done));
      return await patch(type, ...rest);
    };
    // An application that runs already changes the status, which is written after the configuration was sent.
    await bringUp((head) => void head.applications.set('app', { status: 'RUNNING' }));
    const [name] = heads.keys();
    expect(headOf(name ?? '').serveConfigs).toHaveLength(1);
    expect(await activeName()).toBe(name);
    expect(await selected('svc-serve-svc')).toBe(name);
  });

  it('that rests costs no write, not even after a restart', async () => {
    await running();
    await clock.advance(5000);
    const before = writes();
    const told = events.length;
    await clock.advance(600_000);
    await restart();
    await clock.advance(600_000);
    expect(writes()).toBe(before);
    expect(events.slice(told)).toEqual([]);
    expect(headOf(await activeName()).serveConfigs).toHaveLength(1);
  });

  it('notices an endpoint that goes, and a proxy that no longer answers', async () => {
    await running();
    await setEndpoints();
    expect(await reasonOf('Ready')).toBe('ZeroServeEndpoints');
    const name = await activeName();
    headOf(name).isProxyHealthy = false;
    await clock.advance(5000);
    const pod = await client.get(resources.pods, { name: `${name}-head`, namespace: 'ml' });
    expect(pod.metadata?.labels?.['ray.io/serve']).toBe('false');
  });

  it('keeps the only pod behind its Service for ten seconds while the proxy is silent', async () => {
    await running();
    const name = await activeName();
    const label = async () => {
      const pod = await client.get(resources.pods, { name: `${name}-head`, namespace: 'ml' });
      return pod.metadata?.labels?.['ray.io/serve'];
    };
    expect(await label()).toBe('true');
    headOf(name).mood = { kind: 'dead' };
    await clock.advance(8000);
    expect(await label()).toBe('true');
    await clock.advance(12_000);
    expect(await label()).toBe('false');
  });

  it('notices that its endpoints are gone at once, also when its cluster went first', async () => {
    await running();
    await edit({ rayClusterConfig: { rayVersion: '2.53.0' } });
    await client.delete(resources.rayClusters, { name: await activeName(), namespace: 'ml' });
    await clock.advance(100);
    await setEndpoints();
    expect(await status()).not.toHaveProperty('numServeEndpoints');
    expect(await reasonOf('Ready')).toBe('ZeroServeEndpoints');
  });

  it('goes over to a new cluster, and the old one is deleted a minute later', async () => {
    await running();
    const old = await activeName();
    await edit({ rayClusterConfig: { rayVersion: '2.53.0' } });
    const next = await pendingName();
    expect([old, next]).not.toContain('');
    await bringUp();
    await clock.advance(5000);
    expect(await activeName()).toBe(next);
    expect(await selected('svc-serve-svc')).toBe(next);
    await clock.advance(70_000);
    expect((await clusters()).map(({ metadata }) => metadata?.name)).toEqual([next]);
  });

  it('whose dashboard hangs goes on: endpoints are counted, labels follow the proxy', async () => {
    await running();
    const head = headOf(await activeName());
    head.moodFor = ({ path }) => (path.startsWith('/api/serve') ? { kind: 'hanging' } : undefined);
    await clock.advance(20_000);
    await setEndpoints('pod-1');
    expect((await status()).numServeEndpoints).toBe(1);
    head.isProxyHealthy = false;
    await clock.advance(10_000);
    const pod = await client.get(resources.pods, { name: `${await activeName()}-head`, namespace: 'ml' });
    expect(pod.metadata?.labels?.['ray.io/serve']).toBe('false');
  });

  it('is told in an event why Serve refuses its configuration', async () => {
    await create();
    await bringUp((head) => {
      head.moodFor = ({ method }) =>
        method === 'PUT' ? { kind: 'wrong', status: 400, body: 'duplicate app' } : undefined;
    });
    const told = events.find(({ reason }) => reason === 'FailedToUpdateServeApplications');
    expect(told?.note).toContain('UpdateDeployments fail: 400 Bad Request duplicate app');
  });

  it.each([
    ['not YAML', 'a: [', 'error converting YAML to JSON'],
    ['a list', '- a', 'cannot unmarshal array'],
  ])('whose configuration is %s is told so once, and nothing is sent', async (_, serveConfigV2, words) => {
    await create({ serveConfigV2 });
    await bringUp();
    await clock.advance(60_000);
    const told = events.filter(({ reason }) => reason === 'FailedToUpdateServeApplications');
    expect(told).toHaveLength(1);
    expect(told[0]?.note).toContain(words);
    expect([...heads.values()].flatMap((head) => head.serveConfigs)).toEqual([]);
  });

  it('leaves clusters alone that only carry its labels', async () => {
    await running();
    const labels = { 'ray.io/originated-from-cr-name': 'svc', 'ray.io/originated-from-crd': 'RayService' };
    await client.create<RayCluster>(resources.rayClusters, {
      metadata: { name: 'stranger', namespace: 'ml', labels },
      spec: rayClusterSpec(),
    });
    await clock.advance(120_000);
    expect((await clusters()).map(({ metadata }) => metadata?.name)).toContain('stranger');
  });

  it('is made again under its name while the old one is on its way out, and gets clusters of its own', async () => {
    await running();
    const old = await activeName();
    await client.delete(resources.rayServices, REF);
    await clock.advance(3000);
    expect((await client.list(resources.rayServices)).items).toEqual([]);
    await client.delete(resources.endpointSlices, { name: 'svc-serve-svc-x', namespace: 'ml' });
    await create();
    await bringUp();
    await clock.advance(3000);
    expect(await activeName()).not.toBe(old);
    expect(await clusters()).toHaveLength(1);
  });

  it.each(['create', 'update', 'patch'])('gets there although every other %s fails', async (verb) => {
    let turn = 0;
    let isFaulty = false;
    client.faults.onRequest = (request) => {
      if (!isFaulty || request.verb !== verb) return;
      turn += 1;
      if (turn % 2 === 1) throw new Error('connection refused');
    };
    await client.create<RayService>(resources.rayServices, {
      metadata: REF,
      spec: { serveConfigV2: CONFIG, rayClusterConfig: rayClusterSpec() },
    });
    for (let round = 0; round < 8; round += 1) {
      isFaulty = true;
      await clock.advance(30_000);
      isFaulty = false;
      await bringUp();
    }
    await setEndpoints('pod-1');
    await clock.advance(30_000);
    expect(await reasonOf('Ready')).toBe('NonZeroServeEndpoints');
    expect(await clusters()).toHaveLength(1);
    expect(turn).toBeGreaterThan(0);
  });

  it('that is suspended says so again when somebody has taken its status away', async () => {
    await create({ suspend: true });
    await clock.advance(10_000);
    expect(await reasonOf('Suspended')).toBe('SuspendComplete');
    const nothing = { type: 'merge', body: { status: null } } as const;
    await client.patch(resources.rayServices, REF, nothing, { subresource: 'status' });
    expect(await status()).toEqual({});
    await clock.advance(10_000);
    expect(await reasonOf('Suspended')).toBe('SuspendComplete');
  });
});

describe('a head that reports thousands of deployments with long messages that always change', () => {
  /** About 5 MB: below the limit of bytes. */
  const hostile = (count: number) => {
    const message = `${count} ${'m'.repeat(20_000)}`;
    const deployments = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`d${index}`, { status: 'UNHEALTHY', message }]),
    );
    const each = { status: 'RUNNING', message, deployments };
    return JSON.stringify({
      applications: Object.fromEntries(Array.from({ length: 22 }, (_, app) => [`a${app}`, each])),
    });
  };

  it('costs a bounded number of writes, each of which etcd takes', async () => {
    await running();
    let count = 0;
    headOf(await activeName()).moodFor = ({ method, path }) =>
      method === 'GET' && path.startsWith('/api/serve') ? { kind: 'wrong', body: hostile((count += 1)) } : undefined;
    await clock.advance(10_000);
    const [asked, before] = [count, writes()];
    await clock.advance(60_000);
    expect(count - asked).toBeLessThanOrEqual(15);
    expect(writes() - before).toBeLessThanOrEqual(2 * (count - asked));
    expect(JSON.stringify(await service()).length).toBeLessThan(1024 * 1024);
  });
});
