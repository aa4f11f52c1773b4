import { AuthMode, type Pod, type RayCluster, type Secret, type Service } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { spareObjectName } from '@manta/plan';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRayClusterCache } from './ray-cluster-cache.ts';
import { createRayHeads, type RayHeads } from './ray-heads.ts';

const CLUSTER: RayCluster = { metadata: { name: 'c', namespace: 'ml', uid: 'u1' }, spec: rayClusterSpec() };
const GUARDED: RayCluster = { ...CLUSTER, spec: rayClusterSpec({ authOptions: { mode: AuthMode.Token } }) };
let clock: FakeClock;
let client: FakeClient;
let stop: AbortController;
let heads: (throughApiServer?: boolean) => RayHeads;
let rayToken: string | undefined;

beforeEach(async () => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  stop = new AbortController();
  rayToken = undefined;
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  for (const informer of [cache.pods, cache.services, cache.secrets]) void informer.run(stop.signal);
  await clock.advance(100);
  heads = (throughApiServer = false) =>
    createRayHeads({
      cache,
      client,
      clock,
      clusterDomain: 'cluster.local',
      throughApiServer,
      rayToken: () => Promise.resolve(rayToken),
    });
});
afterEach(() => stop.abort());

const OWNED = [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'c', uid: 'u1', controller: true }];

async function service(
  port: string,
  name = 'c-head-svc',
  number = 8265,
  ownerReferences: NonNullable<Service['metadata']>['ownerReferences'] = OWNED,
  more: Service['spec'] = {},
): Promise<void> {
  const selector = { 'ray.io/cluster': name.replace(/-head-svc$/, '') };
  await client.create<Service>(resources.services, {
    metadata: { name, namespace: 'ml', ...(ownerReferences === undefined ? {} : { ownerReferences }) },
    spec: { ports: [{ name: port, port: number }], selector, ...more },
  });
  await clock.advance(100);
}

const headPod = (name: string) => ({
  metadata: {
    name,
    namespace: 'ml',
    labels: { 'ray.io/cluster': 'c', 'ray.io/node-type': 'head' },
    ownerReferences: OWNED,
  },
});

const secret = (data: Record<string, string>) =>
  client.create<Secret>(resources.secrets, { metadata: { name: 'c', namespace: 'ml' }, data });

describe('the head of a cluster', () => {
  it('is where its Service offers the dashboard', async () => {
    await service('dashboard');
    const expected = { isFound: true, head: { url: 'http://c-head-svc.ml.svc.cluster.local:8265', session: 'u1/' } };
    expect(await heads().find(CLUSTER)).toEqual(expected);
    expect(heads().address(CLUSTER)).toEqual({ isFound: true, address: 'c-head-svc.ml.svc.cluster.local:8265' });
  });

  it('is where the status says, once it does', async () => {
    const address = 'c-head-svc.ml.svc.cluster.local:1';
    expect(await heads().find(CLUSTER, { address })).toMatchObject({ head: { url: `http://${address}` } });
  });

  it('is nowhere else, whatever the status says', async () => {
    await service('dashboard');
    const url = 'http://c-head-svc.ml.svc.cluster.local:8265';
    const host = 'c-head-svc.ml.svc.cluster.local';
    for (const address of ['there:1', `${host}.evil:1`, `${host}:1@evil:80`, `${host}:1/x`, '10.0.0.9:8265'])
      expect(await heads().find(CLUSTER, { address })).toMatchObject({ head: { url } });
  });

  it.each<[string, Parameters<typeof service>[3], Service['spec']]>([
    ['is of type ExternalName', OWNED, { type: 'ExternalName', externalName: 'evil.example.com' }],
    ['is not controlled by RayCluster', [], {}],
    ['does not select its pods', OWNED, { selector: { app: 'other' } }],
  ])('is its pod where the Service of its name %s', async (_, owners, more) => {
    await service('dashboard', 'c-head-svc', 8265, owners, more);
    expect(await heads().find(CLUSTER)).toMatchObject({ isFound: false, why: expect.stringMatching(/sends nothing/) });
    expect(await heads(true).find(CLUSTER)).toMatchObject({ isFound: false });
    const status = { phase: 'Running', podIP: '10.0.0.7' };
    await client.create<Pod>(resources.pods, { ...headPod('a'), status });
    await client.patch(
      resources.pods,
      { namespace: 'ml', name: 'a' },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    await clock.advance(100);
    expect(await heads().find(CLUSTER)).toMatchObject({ head: { url: 'http://10.0.0.7:8265' } });
    const proxied = '/api/v1/namespaces/ml/pods/a:8265/proxy';
    expect(await heads(true).find(CLUSTER)).toMatchObject({ head: { url: proxied } });
  });

  it('cannot be found without a Service or without a port for the dashboard', async () => {
    expect(await heads().find(CLUSTER)).toEqual({
      isFound: false,
      why: 'the head Service ml/c-head-svc is not found',
    });
    await service('other', 'c-head-svc', 8266);
    expect(await heads().find(CLUSTER)).toEqual({ isFound: false, why: 'dashboard port is not found' });
  });

  it('is found under another name of its port, too', async () => {
    await service('mine');
    expect(heads().address(CLUSTER)).toEqual({ isFound: true, address: 'c-head-svc.ml.svc.cluster.local:8265' });
    expect(heads(true).address(CLUSTER)).toEqual({ isFound: false, why: 'dashboard port is not found' });
  });

  it('is a path on the API server where that is what users want', async () => {
    const url = '/api/v1/namespaces/ml/services/c-head-svc:dashboard/proxy';
    expect(await heads(true).find(CLUSTER, { address: 'x:1' })).toMatchObject({ head: { url } });
    const misled = { ...CLUSTER, status: { head: { serviceName: 'theirs' } } };
    expect(await heads(true).find(misled)).toMatchObject({ head: { url } });
  });

  it('starts a new session with each head pod', async () => {
    await service('dashboard');
    const first = await client.create(resources.pods, headPod('a'));
    await clock.advance(100);
    expect(await heads().find(CLUSTER)).toMatchObject({ head: { session: `u1/${first.metadata?.uid}` } });
    await client.delete(resources.pods, { namespace: 'ml', name: 'a' });
    const second = await client.create(resources.pods, headPod('b'));
    await clock.advance(100);
    expect(await heads().find(CLUSTER)).toMatchObject({ head: { session: `u1/${second.metadata?.uid}` } });
  });

  it('starts a new session when Ray is restarted within its pod', async () => {
    await service('dashboard');
    const pod = await client.create<Pod>(resources.pods, {
      ...headPod('a'),
      spec: { containers: [{ name: 'ray-head' }, { name: 'sidecar' }] },
    });
    const restarts = async (ray: number, sidecar: number) => {
      const containerStatuses = [
        { name: 'sidecar', restartCount: sidecar },
        { name: 'ray-head', restartCount: ray },
      ];
      const patch = { type: 'merge', body: { status: { containerStatuses } } } as const;
      await client.patch(resources.pods, { namespace: 'ml', name: 'a' }, patch, { subresource: 'status' });
      await clock.advance(100);
      return await heads().find(CLUSTER);
    };
    expect(await restarts(0, 3)).toMatchObject({ head: { session: `u1/${pod.metadata?.uid}` } });
    expect(await restarts(1, 3)).toMatchObject({ head: { session: `u1/${pod.metadata?.uid}+1` } });
  });
});

describe('a token', () => {
  beforeEach(() => service('dashboard'));

  it('comes from the Secret of the cluster, which is not read for every question', async () => {
    await secret({ auth_token: Buffer.from('open sesame').toString('base64') });
    const all = heads();
    for (const _ of [1, 2, 3]) expect(await all.find(GUARDED)).toMatchObject({ head: { token: 'open sesame' } });
    expect(client.requests.filter(({ verb }) => verb === 'get')).toHaveLength(1);
  });

  it('is read again after a while, since it may have been replaced', async () => {
    await secret({ auth_token: Buffer.from('old').toString('base64') });
    const all = heads();
    await all.find(GUARDED);
    const data = { auth_token: Buffer.from('new').toString('base64') };
    await client.patch(resources.secrets, { namespace: 'ml', name: 'c' }, { type: 'merge', body: { data } });
    await clock.advance(30_000);
    expect(await all.find(GUARDED)).toMatchObject({ head: { token: 'new' } });
  });

  it('comes from another Secret where another cluster has the usual name', async () => {
    const name = `a${'b'.repeat(52)}`;
    const long: RayCluster = { ...GUARDED, metadata: { ...GUARDED.metadata, name } };
    const owned = (owner: string) => ({
      namespace: 'ml',
      labels: { 'ray.io/cluster': name },
      ownerReferences: [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name, uid: owner, controller: true }],
    });
    const token = (value: string) => ({ auth_token: Buffer.from(value).toString('base64') });
    await service('dashboard', `${name}-head-svc`);
    await client.create<Secret>(resources.secrets, {
      metadata: { ...owned('another'), name: 'b'.repeat(50) },
      data: token('of another'),
    });
    expect(await heads().find(long)).toMatchObject({ head: { token: 'of another' } });
    await client.create<Secret>(resources.secrets, {
      metadata: { ...owned('u1'), name: spareObjectName(name) ?? '' },
      data: token('its own'),
    });
    await clock.advance(100);
    expect(await heads().find(long)).toMatchObject({ head: { token: 'its own' } });
  });

  it('is read at once for what is tried only once', async () => {
    await secret({ auth_token: Buffer.from('old').toString('base64') });
    const all = heads();
    await all.find(GUARDED);
    await client.delete(resources.secrets, { namespace: 'ml', name: 'c' });
    expect(await all.find(GUARDED)).toMatchObject({ isFound: true });
    expect(await all.find(GUARDED, { isFresh: true })).toMatchObject({ isFound: false });
  });

  it('that is missing is told, with the Secret that should have it', async () => {
    const missing = await heads().find(GUARDED);
    expect(missing).toMatchObject({ isFound: false, why: expect.stringContaining('failed to get auth secret ml/c: ') });
    await secret({ other: '' });
    const why = `auth token key '"auth_token"' not found in secret ml/c`;
    expect(await heads().find(GUARDED)).toEqual({ isFound: false, why });
  });
});

describe('a cluster that takes Kubernetes tokens', () => {
  const authOptions = { mode: AuthMode.Token, enableK8sTokenAuth: true };
  const cluster: RayCluster = { ...CLUSTER, spec: rayClusterSpec({ authOptions }) };

  it('gets the one that we were given for Ray, and no Secret is looked for', async () => {
    rayToken = 'for-ray';
    expect(await heads().find(cluster, { address: 'c-head-svc.ml.svc.cluster.local:1' })).toMatchObject({
      head: { token: 'for-ray' },
    });
  });

  it('is not asked by an operator that has none, which says what it needs', async () => {
    expect(await heads().find(cluster, { address: 'c-head-svc.ml.svc.cluster.local:1' })).toEqual({
      isFound: false,
      why: 'the cluster takes Kubernetes tokens, and this operator has none for them: name a file with the token of an account that may ray:write rayclusters, and nothing else, in RAY_TOKEN_FILE',
    });
  });
});
