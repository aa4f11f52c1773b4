import type { KubeObject } from '@manta/api';
import { ApiError, type ResourceType, TransportError } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { createController } from './controller.ts';
import { createInformer } from './informer.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { keyOf } from './object-key.ts';
import { done } from './reconcile.ts';
import { fromInformer } from './source.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';

const PODS: ResourceType = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true };
const CUTS = 1000;

/** Creates, changes, deletes and re-creates a handful of pods at random. */
async function writeSomething(client: FakeClient, random: () => number): Promise<void> {
  const ref = { name: `pod-${Math.floor(random() * 12)}`, namespace: random() < 0.5 ? 'a' : 'b' };
  const isThere = client.storage.get(PODS, `${ref.namespace}/${ref.name}`) !== undefined;
  const object: KubeObject = { metadata: { ...ref, annotations: { dice: String(random()) } } };
  if (!isThere) await client.create(PODS, object);
  else if (random() < 0.3) await client.delete(PODS, ref);
  else await client.patch(PODS, ref, { type: 'merge', body: object });
}

function cutOf(random: () => number): 'close' | Error {
  const call = { method: 'GET', path: '/api/v1/pods' };
  const dice = random();
  if (dice < 0.35) return 'close';
  if (dice < 0.7) return new TransportError('connection reset');
  return dice < 0.85 ? new ApiError(call, 410, 'too old resource version') : new ApiError(call, 500, 'etcd is sad');
}

describe.each([
  ['that can send what exists through a watch', true, 1],
  ['that cannot', false, 2],
])(`an informer whose watch is cut ${CUTS} times under writes, on a server %s`, (_title, supportsWatchList, seed) => {
  it('ends with what a fresh list has, has told every final state, and has caused no storm', async () => {
    const random = seededRandom(seed);
    const clock = new FakeClock();
    const client = new FakeClient({ clock, supportsWatchList, historyLimit: 40 });
    const world = { clock, client, random, log: silentLogger, metrics: createMetricsRegistry() };
    const informer = createInformer(world, { type: PODS, project: (object) => object, namespaces: ['a', 'b'] });
    const cuts = { made: 0 };
    let handled = 0;
    let reconciles = 0;
    const told = new Map<string, KubeObject>();
    const outOfOrder: string[] = [];
    informer.onChange(({ key, before, after }) => {
      handled += 1;
      if (told.get(key) !== before) outOfOrder.push(key);
      if (after === undefined) told.delete(key);
      else told.set(key, after);
    });
    const acted = new Map<string, string | undefined>();
    const controller = createController(world, {
      name: 'pods',
      sources: [fromInformer(informer)],
      reconcile: async (key) => {
        reconciles += 1;
        acted.set(key, informer.get(key)?.metadata?.resourceVersion);
        return done;
      },
    });
    client.faults.onWatchEvent = () => {
      if (cuts.made >= CUTS || random() < 0.6) return undefined;
      cuts.made += 1;
      return cutOf(random);
    };
    const stop = new AbortController();
    void informer.run(stop.signal);
    void controller.run(stop.signal, stop.signal);
    const startVersion = client.storage.version;
    while (cuts.made < CUTS) {
      for (let n = Math.floor(random() * 4); n > 0; n -= 1) await writeSomething(client, random);
      if (random() < 0.1) client.storage.compact();
      await clock.advance(random() < 0.5 ? 50 : 3000);
    }
    await clock.advance(120_000);

    const fresh = (await client.list(PODS)).items;
    const expected = Object.fromEntries(fresh.map((object) => [keyOf(object), object]));
    expect(fresh.length).toBeGreaterThan(0);
    expect(informer.status().phase).toBe('synced');
    expect(Object.fromEntries([...informer.keys()].map((key) => [key, informer.get(key)]))).toEqual(expected);
    expect(Object.fromEntries(told)).toEqual(expected);
    expect(outOfOrder).toEqual([]);
    for (const object of fresh) expect(acted.get(keyOf(object))).toBe(object.metadata?.resourceVersion);
    const leftovers = [...acted].filter(([key, version]) => expected[key] === undefined && version !== undefined);
    expect(leftovers).toEqual([]);
    const writes = client.storage.version - startVersion;
    expect(handled).toBeLessThanOrEqual(writes);
    expect(reconciles).toBeLessThanOrEqual(handled);
    expect(client.openWatches).toBe(2);
    stop.abort();
  });
});
