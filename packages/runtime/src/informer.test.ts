import type { KubeObject } from '@manta/api';
import { type ResourceType, TransportError } from '@manta/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { createInformer, type Informer, type InformerChange } from './informer.ts';
import { silentLogger } from './logger.ts';
import { FakeClient, type FakeClientOptions } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';

interface Pod extends KubeObject {
  readonly spec?: { readonly node: string };
}
interface Row {
  readonly node: string;
  readonly version: string;
}

const PODS: ResourceType<Pod> = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true };
const pod = (name: string, node = 'n1', namespace = 'ns', labels: Record<string, string> = {}): Pod => ({
  metadata: { name, namespace, labels },
  spec: { node },
});
const stops: AbortController[] = [];

function setUp(
  options: FakeClientOptions & { namespaces?: string[]; labelSelector?: string; isForeign?: boolean } = {},
) {
  const clock = new FakeClock();
  const client = new FakeClient({ clock, ...options });
  const world = { clock, client, random: seededRandom(1), log: silentLogger };
  const informer = createInformer(world, {
    type: PODS,
    project: (object): Row => ({ node: object.spec?.node ?? '', version: object.metadata?.resourceVersion ?? '' }),
    indexes: { node: (row) => [row.node] },
    namespaces: options.namespaces,
    labelSelector: options.labelSelector,
    ...(options.isForeign === undefined ? {} : { isForeign: options.isForeign }),
  });
  const changes: InformerChange<Row>[] = [];
  informer.onChange((change) => changes.push(change));
  const stop = new AbortController();
  stops.push(stop);
  const start = async () => {
    const over = informer.run(stop.signal);
    await clock.settle();
    return over;
  };
  return { clock, client, informer, changes, stop, start };
}

const nodes = (informer: Informer<Row, 'node'>) =>
  Object.fromEntries([...informer.keys()].toSorted().map((key) => [key, informer.get(key)?.node]));
const told = (changes: readonly InformerChange<Row>[]) =>
  changes.map(({ key, before, after }) => `${key} ${before?.node ?? '-'} ${after?.node ?? '-'}`);

afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

describe.each([
  ['through a watch that sends what exists', true],
  ['through a list and a watch', false],
])('an informer, %s', (_title, supportsWatchList) => {
  it('takes over what exists, marks it as initial, and follows what happens', async () => {
    const { client, clock, informer, changes, start } = setUp({ supportsWatchList });
    await client.create(PODS, pod('a'));
    await client.create(PODS, pod('b', 'n2'));
    expect(informer.hasSynced()).toBe(false);
    void start();
    await clock.settle();
    expect(informer.hasSynced()).toBe(true);
    expect(changes.map(({ isInitial }) => isInitial)).toEqual([true, true]);
    await client.patch(PODS, { name: 'a', namespace: 'ns' }, { type: 'merge', body: { spec: { node: 'n2' } } });
    await client.delete(PODS, { name: 'b', namespace: 'ns' });
    await client.create(PODS, pod('c', 'n3'));
    await clock.settle();
    expect(told(changes.slice(2))).toEqual(['ns/a n1 n2', 'ns/b n2 -', 'ns/c - n3']);
    expect(changes.at(-1)?.isInitial).toBe(false);
    expect(nodes(informer)).toEqual({ 'ns/a': 'n2', 'ns/c': 'n3' });
    expect(informer.by('node', 'n2').map((row) => row.node)).toEqual(['n2']);
    expect(informer.by('node', 'n1')).toEqual([]);
    expect(client.requests.filter(({ verb }) => verb === 'list')).toHaveLength(supportsWatchList ? 0 : 1);
  });

  it('reports what changed and what disappeared while it was cut off, and nothing else', async () => {
    const { client, clock, informer, changes, start } = setUp({ supportsWatchList });
    for (const name of ['a', 'b', 'c', 'd']) await client.create(PODS, pod(name));
    void start();
    await clock.settle();
    changes.length = 0;
    client.faults.onRequest = () => {
      throw new TransportError('no route', { wasNeverSent: true });
    };
    client.cutWatches(new TransportError('connection reset'));
    await clock.settle();
    client.storage.remove(PODS, 'ns/b');
    client.faults.onRequest = undefined;
    await client.patch(PODS, { name: 'a', namespace: 'ns' }, { type: 'merge', body: { spec: { node: 'n2' } } });
    await client.delete(PODS, { name: 'c', namespace: 'ns' });
    await client.create(PODS, pod('c', 'n9'));
    client.storage.compact();
    await clock.advance(5_000);
    expect(informer.status().phase).toBe('synced');
    expect(told(changes).toSorted()).toEqual(['ns/a n1 n2', 'ns/b n1 -', 'ns/c - n9', 'ns/c n1 -'].toSorted());
    expect(nodes(informer)).toEqual({ 'ns/a': 'n2', 'ns/c': 'n9', 'ns/d': 'n1' });
  });

  it('shows handlers the whole new content, not a half of it', async () => {
    const { client, clock, informer, start } = setUp({ supportsWatchList });
    for (const name of ['a', 'b', 'c']) await client.create(PODS, pod(name));
    const sizes: number[] = [];
    informer.onChange(() => sizes.push(informer.size));
    void start();
    await clock.settle();
    expect(sizes).toEqual([3, 3, 3]);
  });

  it('keeps the very same record when a relist brings nothing new', async () => {
    const { client, clock, informer, changes, start } = setUp({ supportsWatchList });
    await client.create(PODS, pod('a'));
    void start();
    await clock.settle();
    const record = informer.get('ns/a');
    changes.length = 0;
    client.cutWatches();
    client.storage.touch();
    client.storage.compact();
    await clock.advance(5_000);
    expect(client.openWatches).toBe(1);
    expect(informer.get('ns/a')).toBe(record);
    expect(changes).toEqual([]);
  });
});

describe('an informer', () => {
  it('reconnects at once when the server ends the watch, after five to ten minutes', async () => {
    const { client, clock, start } = setUp();
    void start();
    await clock.advance(299_000);
    expect(client.requests).toHaveLength(1);
    expect(client.requests[0]?.options.timeoutSeconds).toBeGreaterThanOrEqual(300);
    expect(client.requests[0]?.options.timeoutSeconds).toBeLessThanOrEqual(600);
    await clock.advance(301_000);
    expect(client.requests).toHaveLength(2);
    expect(client.openWatches).toBe(1);
  });

  it('hangs up a watch that outlives its agreed end', async () => {
    const { client, clock, informer, start } = setUp();
    void start();
    await clock.settle();
    const watch = client.watch.bind(client);
    client.watch = (type, options) => watch(type, { ...options, timeoutSeconds: undefined });
    client.cutWatches();
    await clock.advance(631_000);
    expect(client.requests).toHaveLength(3);
    expect(informer.hasSynced()).toBe(true);
  });

  it('says forbidden while it may not watch, keeps asking ever less often, and goes on when it may', async () => {
    const { client, clock, informer, start } = setUp();
    client.forbid(PODS);
    void start();
    await clock.advance(600_000);
    expect(informer.status()).toMatchObject({ phase: 'forbidden', troubles: [{ kind: 'forbidden' }] });
    expect(informer.isReady()).toBe(false);
    expect(client.requests.length).toBeGreaterThan(5);
    expect(client.requests.length).toBeLessThan(25);
    client.allow(PODS);
    await client.create(PODS, pod('a'));
    await clock.advance(121_000);
    expect(informer.status()).toEqual({ phase: 'synced', troubles: [] });
    expect(informer.size).toBe(1);
  });

  it('says absent while the kind is not served, and works when it arrives', async () => {
    const { client, clock, informer, start } = setUp();
    client.unserve(PODS);
    void start();
    await clock.advance(60_000);
    expect(informer.status().phase).toBe('absent');
    client.serve(PODS);
    await client.create(PODS, pod('a'));
    await clock.advance(21_000);
    expect(informer.status().phase).toBe('synced');
    client.unserve(PODS);
    await clock.advance(5_000);
    expect(informer.status().phase).toBe('absent');
    expect(informer.size).toBe(0);
  });

  it('looks seldom for a kind of somebody else that is not there', async () => {
    const { client, clock, start } = setUp({ isForeign: true });
    client.unserve(PODS);
    void start();
    await clock.advance(1_200_000);
    expect(client.requests.length).toBeLessThan(8);
  });

  it('asks at once when told that things have changed', async () => {
    const { client, clock, informer, start } = setUp();
    client.forbid(PODS);
    void start();
    await clock.advance(600_000);
    client.allow(PODS);
    informer.retryNow();
    await clock.settle();
    expect(informer.status().phase).toBe('synced');
  });

  it('feeds one store from several namespaces, and one that is forbidden does not spoil the others', async () => {
    const { client, clock, informer, start } = setUp({ namespaces: ['a', 'b'] });
    client.forbid(PODS, 'b');
    await client.create(PODS, pod('x', 'n1', 'a'));
    void start();
    await clock.settle();
    expect(informer.status()).toMatchObject({ phase: 'synced', troubles: [{ namespace: 'b', kind: 'forbidden' }] });
    expect([informer.isReady('a'), informer.isReady('b'), informer.hasSynced()]).toEqual([true, false, true]);
    client.allow(PODS, 'b');
    await client.create(PODS, pod('x', 'n2', 'b'));
    await clock.advance(10_000);
    expect(nodes(informer)).toEqual({ 'a/x': 'n1', 'b/x': 'n2' });
    client.storage.compact();
    client.cutWatches();
    await clock.advance(10_000);
    expect(nodes(informer)).toEqual({ 'a/x': 'n1', 'b/x': 'n2' });
  });

  it('lets an object go that no longer matches its selector', async () => {
    const { client, clock, informer, start } = setUp({ labelSelector: 'app=ray' });
    await client.create(PODS, pod('a', 'n1', 'ns', { app: 'ray' }));
    await client.create(PODS, pod('b', 'n1', 'ns', { app: 'other' }));
    void start();
    await clock.settle();
    expect(nodes(informer)).toEqual({ 'ns/a': 'n1' });
    await client.patch(
      PODS,
      { name: 'a', namespace: 'ns' },
      { type: 'merge', body: { metadata: { labels: { app: null } } } },
    );
    await clock.settle();
    expect(informer.size).toBe(0);
  });

  it('knows how far it has seen, from changes and from bookmarks', async () => {
    const { client, clock, informer, start } = setUp();
    void start();
    await clock.settle();
    const written = await client.create(PODS, pod('a'));
    const version = written.metadata?.resourceVersion ?? '';
    expect(informer.hasSeen('ns/a', version)).toBe(false);
    await clock.settle();
    expect(informer.hasSeen('ns/a', version)).toBe(true);
    client.storage.touch();
    expect(informer.hasSeen('ns/a', String(client.storage.version))).toBe(false);
    client.sendBookmarks();
    await clock.settle();
    expect(informer.seenVersion()).toBe(String(client.storage.version));
  });

  it('survives handlers that throw and objects that cannot be understood', async () => {
    const clock = new FakeClock();
    const client = new FakeClient({ clock });
    const reports: string[] = [];
    const log = {
      ...silentLogger,
      named: () => log,
      with: () => log,
      error: (message: string) => void reports.push(message),
    };
    const informer = createInformer(
      { clock, client, random: seededRandom(1), log },
      {
        type: PODS,
        project: (object) => {
          if (object.spec?.node === 'bad') throw new TypeError('no such field');
          return object.spec?.node ?? '';
        },
      },
    );
    const seen: (string | undefined)[] = [];
    informer.onChange(() => {
      throw new Error('handler broke');
    });
    informer.onChange(({ after }) => seen.push(after));
    const stop = new AbortController();
    stops.push(stop);
    void informer.run(stop.signal);
    await client.create(PODS, pod('a', 'n1'));
    await client.create(PODS, pod('b', 'bad'));
    await client.create(PODS, pod('c', 'n2'));
    await clock.settle();
    expect(new Set(seen)).toEqual(new Set(['n1', 'n2']));
    expect(reports).toContain('Informer handler failed');
    expect(reports).toContain('Object cannot be understood and is left as it was');
  });

  it('ends when told to, leaving no watch and no timer', async () => {
    const { client, clock, stop, start } = setUp();
    const over = start();
    await clock.settle();
    expect(client.openWatches).toBe(1);
    stop.abort();
    await over;
    expect([client.openWatches, clock.pending]).toEqual([0, 0]);
  });
});
