import type { ConfigMap } from '@manta/api';
import {
  type Clock,
  createKubeClient,
  createTransport,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  loadConnection,
  type ResourceType,
  resources,
  systemClock,
  type WatchOptions,
} from '@manta/kube';
import { createInformer, type Informer, type InformerOptions, keyOf, silentLogger } from '@manta/runtime';
import { seededRandom } from '@manta/runtime/testing';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { createTestNamespace } from '../support/namespace.ts';
import type { PlaneUser } from '../support/plane-client.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { CuttingProxy } from './cutting-proxy.ts';

type Kept = ConfigMap;

/** Our waits, so many times as fast: what is tested is that nothing is lost, not how patient we are. */
const hasty = (times: number): Clock => ({
  now: () => systemClock.now(),
  setTimer: (delayMs, run) => systemClock.setTimer(delayMs / times, run),
});
const ends: (() => Promise<void> | void)[] = [];
const shared = sharedControlPlane();

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function clientOf(user: PlaneUser, server?: URL, clock = systemClock): Promise<KubeClient> {
  const connection = await loadConnection({ kubeconfig: user.kubeconfig.path });
  const { tls } = connection;
  const elsewhere = server && {
    server,
    tls,
    credentials: () => connection.credentials(),
    invalidateCredentials: () => connection.invalidateCredentials(),
  };
  const transport = createTransport({ connection: elsewhere ?? connection, clock });
  ends.push(() => transport.close());
  return createKubeClient({ transport, clock: systemClock });
}

/** A running informer of a namespace's config maps, and what it has told. */
function follow(client: KubeClient, options: Partial<InformerOptions<ConfigMap, Kept, never>>, clock = hasty(100)) {
  const informer = createInformer(
    { client, clock, random: Math.random, log: silentLogger },
    { type: resources.configMaps, project: (object) => object, ...options },
  );
  const told = new Map<string, Kept>();
  const seen = { changes: 0, outOfOrder: 0 };
  informer.onChange(({ key, before, after }) => {
    seen.changes += 1;
    if (told.get(key) !== before) seen.outOfOrder += 1;
    if (after === undefined) told.delete(key);
    else told.set(key, after);
  });
  const stop = new AbortController();
  const over = informer.run(stop.signal);
  ends.push(async () => {
    stop.abort();
    await over;
  });
  return { informer, told, seen };
}

/** Writes at random until stopped; says how many writes the server took. */
function writeAtRandom(client: KubeClient, namespace: string, seed: number) {
  const random = seededRandom(seed);
  const state = { isOver: false, writes: 0 };
  const once = async () => {
    const ref = { name: `thing-${Math.floor(random() * 15)}`, namespace };
    const data = { dice: String(random()), padding: 'x'.repeat(Math.floor(random() * 2000)) };
    const dice = random();
    if (dice < 0.25) await client.delete(resources.configMaps, ref);
    else if (dice < 0.6) await client.create(resources.configMaps, { metadata: ref, data });
    else await client.patch(resources.configMaps, ref, { type: 'merge', body: { data } });
    state.writes += 1;
  };
  const run = async () => {
    while (!state.isOver) {
      try {
        await once();
      } catch (error) {
        // The server being away is part of the test; so is writing what is, or is not, there.
        if (!isNotFound(error) && !isAlreadyExists(error)) await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };
  const running = run();
  const finish = async () => {
    state.isOver = true;
    await running;
    return state.writes;
  };
  ends.push(async () => void (await finish()));
  return { finish, state };
}

const versions = (items: Iterable<ConfigMap>) =>
  Object.fromEntries([...items].map((object) => [keyOf(object), object.metadata?.resourceVersion]));

/** The client, except that its watches are asked for what `change` makes of their options. */
function intercepted(client: KubeClient, change: (options: WatchOptions) => WatchOptions): KubeClient {
  const watch: KubeClient['watch'] = (type, options) => client.watch(type, change(options));
  return new Proxy(client, {
    get: (target, name) => {
      const value: unknown = name === 'watch' ? watch : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Waits until the informer holds what a fresh list shows. */
async function expectFresh(informer: Informer<Kept>, client: KubeClient, namespace: string, timeout = 60_000) {
  const { items } = await client.list(resources.configMaps, { namespace });
  await expect.poll(() => versions(informer.records()), { timeout, interval: 50 }).toEqual(versions(items));
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** What may happen to a control plane. */
const HARM = {
  killed: (server: ControlPlane) => server.restartApiServer('SIGKILL'),
  restarted: (server: ControlPlane) => server.restartApiServer('SIGTERM'),
  /** Without etcd, the API server hangs rather than fails. */
  paused: async (server: ControlPlane) => {
    server.pauseEtcd();
    await pause(20_000);
    server.resumeEtcd();
  },
} as const;

describe('an informer on a real API server', () => {
  const CUTS = 1000;
  test(`whose connection is cut ${CUTS} times at random points under writes holds what a fresh list holds`, async () => {
    const { name: namespace } = await createTestNamespace(shared, 'cut');
    const random = seededRandom(7);
    const direct = await clientOf(shared.admin);
    const proxy = await CuttingProxy.start(new URL(shared.url));
    ends.push(() => proxy.stop());
    const client = await clientOf(shared.admin, proxy.url, hasty(10));
    const { informer, told, seen } = follow(client, { namespaces: [namespace] }, hasty(1000));
    const writer = writeAtRandom(direct, namespace, 11);
    while (proxy.cuts < CUTS) {
      await proxy.inUse();
      if (random() < 0.5) proxy.cutAfter(Math.floor(random() * 12_000));
      await pause(random() * 40);
      proxy.cut();
    }
    const writes = await writer.finish();
    await expectFresh(informer, direct, namespace);
    await expect.poll(() => informer.status(), { timeout: 10_000 }).toEqual({ phase: 'synced', troubles: [] });
    expect(versions(told.values())).toEqual(versions(informer.records()));
    expect(writes).toBeGreaterThan(100);
    expect(seen.outOfOrder).toBe(0);
    expect(seen.changes).toBeLessThanOrEqual(writes);
  });

  test('says forbidden until a role is bound, then works', async () => {
    const { name: namespace } = await createTestNamespace(shared, 'role');
    const user = shared.user({ name: `watcher-${namespace}` });
    const { informer } = follow(await clientOf(user), { namespaces: [namespace] });
    await expect
      .poll(() => informer.status(), { timeout: 10_000 })
      .toMatchObject({
        phase: 'forbidden',
        troubles: [{ kind: 'forbidden', namespace, message: expect.stringContaining('configmaps') }],
      });
    await shared.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: watch, namespace: ${namespace} }
rules: [{ apiGroups: [''], resources: [configmaps], verbs: [list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: watch, namespace: ${namespace} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: watch }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: ${user.name} }]
`);
    await expect.poll(() => informer.status().phase, { timeout: 20_000 }).toBe('synced');
  });

  test('says absent until the kind is installed, then works', async () => {
    const plural = `w${Math.floor(Math.random() * 1e9).toString(36)}s`;
    const group = 'informer.example.com';
    const type: ResourceType = { group, version: 'v1', plural, kind: 'Widget', isNamespaced: true };
    const client = await clientOf(shared.admin);
    const { informer } = follow(client, { type });
    await expect.poll(() => informer.status().phase, { timeout: 10_000 }).toBe('absent');
    await shared.apply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { plural: ${plural}, kind: Widget${plural} }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`);
    await expect.poll(() => informer.status().phase, { timeout: 20_000 }).toBe('synced');
    await shared.kubectl(['delete', 'crd', `${plural}.${group}`]);
    await expect.poll(() => informer.status().phase, { timeout: 20_000 }).toBe('absent');
  });

  test('can ask for metadata only', async () => {
    const { name: namespace } = await createTestNamespace(shared, 'meta');
    const client = await clientOf(shared.admin);
    await client.create(resources.configMaps, { metadata: { name: 'a', namespace }, data: { big: 'x' } });
    const { informer } = follow(client, { namespaces: [namespace], content: 'metadata' });
    await expect.poll(() => informer.get(`${namespace}/a`), { timeout: 10_000 }).toBeDefined();
    expect(informer.get(`${namespace}/a`)).not.toHaveProperty('data');
  });

  test('has seen a write, and shows it, once it has reached the version that the write returned', async () => {
    const { name: namespace } = await createTestNamespace(shared, 'seen');
    const client = await clientOf(shared.admin);
    const { informer } = follow(client, { namespaces: [namespace] });
    await expect.poll(() => informer.hasSynced(), { timeout: 10_000 }).toBe(true);
    for (let n = 0; n < 20; n += 1) {
      const written = await client.create(resources.configMaps, { metadata: { name: `n${n}`, namespace } });
      const version = written.metadata?.resourceVersion ?? '';
      const hasSeen = () => informer.hasSeen(keyOf(written), version);
      await expect.poll(hasSeen, { timeout: 5000, interval: 1 }).toBe(true);
      expect(informer.entry(keyOf(written))?.resourceVersion).toBe(version);
    }
  });
});

describe.each([
  {
    server: 'that sends what exists through a watch',
    featureGates: {},
    lists: 0,
    harms: ['killed', 'restarted', 'paused'],
  },
  { server: 'that must be asked for a list', featureGates: { WatchList: false }, lists: 1, harms: ['killed'] },
] as const)('an informer on an API server $server', ({ featureGates, lists, harms }) => {
  let plane: ControlPlane | undefined;
  const start = async (): Promise<ControlPlane> => (plane ??= await startControlPlane({ featureGates, audit: true }));
  afterAll(async () => plane?.stop());

  test.each(harms)('that is %s loses nothing', async (harm) => {
    const server = await start();
    const { name: namespace } = await createTestNamespace(server, 'away');
    const client = await clientOf(server.admin);
    const { informer, told, seen } = follow(await clientOf(server.admin), { namespaces: [namespace] }, systemClock);
    const writer = writeAtRandom(client, namespace, 3);
    await expect.poll(() => informer.size, { timeout: 10_000 }).toBeGreaterThan(3);
    expect(await server.audit.count({ verb: 'list', resource: 'configmaps', namespace })).toBe(lists);
    await HARM[harm](server);
    const before = writer.state.writes;
    await expect.poll(() => writer.state.writes, { timeout: 60_000 }).toBeGreaterThan(before + 20);
    const writes = await writer.finish();
    await expectFresh(informer, client, namespace);
    expect(versions(told.values())).toEqual(versions(informer.records()));
    expect(seen.outOfOrder).toBe(0);
    // A write whose answer was lost with the server is not counted, but may have been carried out.
    expect(seen.changes).toBeLessThanOrEqual(writes + 5);
  });

  test('that no longer knows the version it is asked for is read anew', async () => {
    const server = await start();
    // A server that has just started remembers nothing from before.
    await server.restartApiServer('SIGKILL');
    const { name: namespace } = await createTestNamespace(server, 'gone');
    const direct = await clientOf(server.admin);
    const proxy = await CuttingProxy.start(new URL(server.url));
    ends.push(() => proxy.stop());
    const asked: (string | undefined)[] = [];
    const client = intercepted(await clientOf(server.admin, proxy.url), (options) => {
      if (options.sendInitialEvents === true) return options;
      asked.push(options.resourceVersion);
      return asked.length === 1 + lists ? { ...options, resourceVersion: '1' } : options;
    });
    for (const name of ['a', 'b']) await direct.create(resources.configMaps, { metadata: { name, namespace } });
    const { informer, told } = follow(client, { namespaces: [namespace] });
    await expect.poll(() => informer.size, { timeout: 10_000 }).toBe(2);
    const contents = { taken: 0 };
    informer.onProgress(() => (contents.taken += 1));
    const version = informer.seenVersion(namespace);
    await expect.poll(() => asked.length).toBe(lists);
    proxy.cut();
    await direct.delete(resources.configMaps, { name: 'a', namespace });
    await expect.poll(() => [...told.keys()], { timeout: 10_000 }).toEqual([`${namespace}/b`]);
    expect(asked[lists]).toBe(version);
    expect(contents.taken).toBe(1);
  });
});
