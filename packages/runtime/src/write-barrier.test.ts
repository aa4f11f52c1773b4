import type { KubeObject } from '@manta/api';
import { ApiError, type ResourceType, type Status } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { createInformer } from './informer.ts';
import { silentLogger } from './logger.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';
import { type BarrierInformer, WriteBarrier } from './write-barrier.ts';

const PODS: ResourceType = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true };
const ref = { name: 'a', namespace: 'ns' };
const pod = (finalizers: readonly string[] = []): KubeObject => ({ metadata: { ...ref, finalizers } });
const isGone: Status = { kind: 'Status', status: 'Success' };

/** An informer whose watch can be held up, and a barrier that looks at it. */
async function setUp() {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const informer = createInformer(
    { clock, client, random: seededRandom(1), log: silentLogger },
    { type: PODS, project: (object) => object.metadata?.uid ?? '' },
  );
  void informer.run(new AbortController().signal);
  await clock.settle();
  const barrier = new WriteBarrier(clock, 10_000);
  return { clock, client, informer, barrier };
}

describe('WriteBarrier', () => {
  it('is clear for an owner that has written nothing, as every owner is after a restart', async () => {
    const { barrier } = await setUp();
    expect(barrier.state('ns/owner')).toEqual({ kind: 'clear' });
  });

  it('holds an owner back until the informer has seen its write, and lets others pass', async () => {
    const { barrier, client, clock, informer } = await setUp();
    barrier.wrote('ns/owner', informer, await client.create(PODS, pod()));
    expect(barrier.state('ns/owner')).toMatchObject({ kind: 'waiting', pending: [{ kind: 'Pod', key: 'ns/a' }] });
    expect(barrier.state('ns/other').kind).toBe('clear');
    let runs = 0;
    barrier.whenOver('ns/owner', () => (runs += 1));
    expect(runs).toBe(0);
    await clock.settle();
    expect([runs, barrier.state('ns/owner').kind]).toEqual([1, 'clear']);
  });

  it('waits for the last of several writes', async () => {
    const { barrier, client, clock, informer } = await setUp();
    barrier.wrote('ns/owner', informer, await client.create(PODS, pod()));
    await clock.settle();
    const patched = await client.patch(PODS, ref, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    barrier.wrote('ns/owner', informer, patched);
    expect(barrier.state('ns/owner').kind).toBe('waiting');
    await clock.settle();
    expect(barrier.state('ns/owner').kind).toBe('clear');
  });

  it('lets the owner go once, when all of its writes to several objects have been seen', async () => {
    const { barrier, client, clock, informer } = await setUp();
    const hidden = new Set(['b']);
    client.faults.onWatchEvent = (event) =>
      'object' in event && hidden.has(event.object.metadata?.name ?? '') ? 'close' : undefined;
    for (const name of ['a', 'b']) {
      barrier.wrote('ns/owner', informer, await client.create(PODS, { metadata: { name, namespace: 'ns' } }));
    }
    let runs = 0;
    barrier.whenOver('ns/owner', () => (runs += 1));
    await clock.advance(500);
    expect([informer.size, runs]).toEqual([1, 0]);
    hidden.clear();
    await clock.advance(5_000);
    expect([informer.size, runs]).toEqual([2, 1]);
  });

  it('does not wait for a write that has been seen already', async () => {
    const { barrier, client, clock, informer } = await setUp();
    const written = await client.create(PODS, pod());
    await clock.settle();
    barrier.wrote('ns/owner', informer, written);
    expect(barrier.state('ns/owner').kind).toBe('clear');
  });

  it('after a deletion waits until the object has gone', async () => {
    const { barrier, client, clock, informer } = await setUp();
    const { uid = '' } = (await client.create(PODS, pod())).metadata ?? {};
    await clock.settle();
    barrier.deleted('ns/owner', informer, 'ns/a', uid, await client.delete(PODS, ref));
    expect(barrier.state('ns/owner').kind).toBe('waiting');
    await clock.settle();
    expect(barrier.state('ns/owner').kind).toBe('clear');
  });

  it('after a deletion is content with another object of the same name', async () => {
    const { barrier, client, clock, informer } = await setUp();
    const { uid = '' } = (await client.create(PODS, pod())).metadata ?? {};
    await clock.settle();
    await client.delete(PODS, ref);
    await client.create(PODS, pod());
    barrier.deleted('ns/owner', informer, 'ns/a', uid, isGone);
    expect(barrier.state('ns/owner').kind).toBe('waiting');
    await clock.settle();
    expect(informer.size).toBe(1);
    expect(barrier.state('ns/owner').kind).toBe('clear');
  });

  it('after a deletion that only marks the object waits for the mark, not for the end', async () => {
    const { barrier, client, clock, informer } = await setUp();
    const { uid = '' } = (await client.create(PODS, pod(['keep']))).metadata ?? {};
    await clock.settle();
    barrier.deleted('ns/owner', informer, 'ns/a', uid, await client.delete(PODS, ref));
    expect(barrier.state('ns/owner').kind).toBe('waiting');
    await clock.settle();
    expect([informer.size, barrier.state('ns/owner').kind]).toEqual([1, 'clear']);
  });

  it('is late, never silently clear, when the informer does not catch up; and clear when it does', async () => {
    const { barrier, client, clock, informer } = await setUp();
    client.cutWatches(new Error('gone'));
    client.faults.onRequest = ({ verb }) => {
      if (verb === 'watch') throw new Error('still gone');
    };
    barrier.wrote('ns/owner', informer, await client.create(PODS, pod()));
    let runs = 0;
    barrier.whenOver('ns/owner', () => (runs += 1));
    await clock.advance(9_999);
    expect([runs, barrier.state('ns/owner').kind]).toEqual([0, 'waiting']);
    await clock.advance(1);
    expect([runs, barrier.state('ns/owner').kind]).toEqual([1, 'late']);
    await clock.advance(60_000);
    expect(barrier.state('ns/owner').kind).toBe('late');
    client.faults.onRequest = undefined;
    await clock.advance(61_000);
    expect([runs, barrier.state('ns/owner').kind]).toEqual([1, 'clear']);
  });

  it('is released by a bookmark when the written object is not among those the informer follows', async () => {
    const { barrier, client, clock, informer } = await setUp();
    client.storage.touch();
    barrier.wrote('ns/owner', informer, {
      metadata: { name: 'unlabelled', namespace: 'ns', resourceVersion: String(client.storage.version) },
    });
    await clock.settle();
    expect(barrier.state('ns/owner').kind).toBe('waiting');
    client.sendBookmarks();
    await clock.settle();
    expect(barrier.state('ns/owner').kind).toBe('clear');
  });

  it('does not wait for an informer that is forbidden to watch, and waits again when it may', async () => {
    const { barrier, client, clock, informer } = await setUp();
    const forbidden = new ApiError({ method: 'GET', path: '/' }, 403, 'forbidden');
    client.faults.onWatchEvent = () => forbidden;
    client.faults.onRequest = ({ verb }) => {
      if (verb === 'watch') throw forbidden;
    };
    barrier.wrote('ns/owner', informer, await client.create(PODS, pod()));
    expect(barrier.state('ns/owner').kind).toBe('waiting');
    await clock.settle();
    expect([informer.status().phase, barrier.state('ns/owner').kind]).toEqual(['forbidden', 'clear']);
    client.faults.onRequest = undefined;
    client.faults.onWatchEvent = () => 'close';
    await clock.advance(2_500);
    expect([informer.size, informer.isReady(), barrier.state('ns/owner').kind]).toEqual([0, true, 'waiting']);
    client.faults.onWatchEvent = undefined;
    await clock.advance(5_000);
    expect([informer.size, barrier.state('ns/owner').kind]).toEqual([1, 'clear']);
  });

  it('tells of an owner whose write the informer has passed without showing it, and of no other', () => {
    const missed: string[] = [];
    const barrier = new WriteBarrier(new FakeClock(), undefined, (owner) => missed.push(owner));
    const written = { metadata: { ...ref, resourceVersion: '5' } };
    let hasSeen = false;
    const tell: { change?: Parameters<BarrierInformer['onChange']>[0]; progress?: () => void } = {};
    const informer: BarrierInformer = {
      type: PODS,
      entry: () => undefined,
      hasSeen: () => hasSeen,
      isReady: () => true,
      onChange: (handler) => ((tell.change = handler), () => undefined),
      onProgress: (handler) => ((tell.progress = handler), () => undefined),
    };
    barrier.wrote('ns/owner', informer, written);
    tell.progress?.();
    expect([missed, barrier.state('ns/owner').kind]).toEqual([[], 'waiting']);
    hasSeen = true;
    tell.progress?.();
    expect([missed, barrier.state('ns/owner').kind]).toEqual([['ns/owner'], 'clear']);
    hasSeen = false;
    barrier.wrote('ns/shown', informer, written);
    hasSeen = true;
    tell.change?.({ key: 'ns/a', isInitial: false });
    tell.progress?.();
    expect([missed, barrier.state('ns/shown').kind]).toEqual([['ns/owner'], 'clear']);
  });
});
