import type { StatusCause } from '@manta/kube';
import { ApiError, TransportError } from '@manta/kube';
import { describe, expect, test } from 'vitest';
import type { EventInput, EventObject } from './event-object.ts';
import { EVENTS } from './event-object.ts';
import { createEventBroadcaster } from './events.ts';
import type { Logger } from './logger.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';

const MINUTE = 60_000;
const regarding = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'rc', namespace: 'ns', uid: 'u' };
const created: EventInput = {
  regarding,
  type: 'Normal',
  reason: 'CreatedWorkerPod',
  action: 'Create',
  note: 'Created worker Pod ns/w1',
};
const failed: EventInput = { ...created, type: 'Warning', reason: 'FailedToCreateWorkerPod', note: 'quota' };

function setup() {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const metrics = createMetricsRegistry();
  const logged: string[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (message) => void logged.push(message),
    error: (message) => void logged.push(message),
  };
  const broadcaster = createEventBroadcaster({ client, clock, metrics, log, hostname: 'h', random: seededRandom(1) });
  const { event } = broadcaster.recorder('raycluster-controller');
  const events = async () => (await client.list<EventObject>(EVENTS, {})).items;
  const counts = async () => (await events()).map((each) => `${each.reason} ${each.series?.count ?? 1}`);
  const writes = () => client.requests.filter(({ verb }) => verb !== 'list').map(({ verb }) => verb);
  const dropped = () =>
    Object.fromEntries(
      [...metrics.text().matchAll(/^manta_events_dropped_total\{reason="(.*)"\} (.*)$/gm)].map(([, reason, n]) => [
        reason,
        Number(n),
      ]),
    );
  const refuse = (error: Error | undefined) => {
    client.faults.onRequest = ({ verb }) => {
      if (error !== undefined && verb !== 'list') throw error;
    };
  };
  return { clock, client, broadcaster, event, events, counts, writes, dropped, refuse, logged };
}

const apiError = (code: number, reason: string, causes: readonly StatusCause[] = []) =>
  new ApiError({ method: 'POST', path: '/' }, code, reason, { kind: 'Status', reason, details: { causes } });

describe('folding', () => {
  test('equal events of one pass become one write, whose count says how many they were', async () => {
    const { clock, event, events, writes } = setup();
    for (const n of ['b2c4d', 'x9z8w', 'qqqqq']) event({ ...created, note: `Created worker Pod ns/w-${n}` });
    expect(writes()).toEqual([]);
    await clock.advance(500);
    expect(writes()).toEqual(['create']);
    const [only] = await events();
    expect(only).toMatchObject({
      note: 'Created worker Pod ns/w-b2c4d',
      series: { count: 3 },
      type: 'Normal',
      regarding,
    });
    expect(only?.series?.lastObservedTime).toBe('2026-01-01T00:00:00.000000Z');
  });

  test('an event that happens once has no series', async () => {
    const { clock, event, events } = setup();
    event(created);
    await clock.advance(500);
    expect((await events())[0]).not.toHaveProperty('series');
  });

  const apart: Record<string, EventInput> = {
    'another reason': { ...created, reason: 'CreatedHeadPod' },
    'another action': { ...created, action: 'Update' },
    'another object': { ...created, regarding: { ...regarding, name: 'other' } },
    'another version of the object': { ...created, regarding: { ...regarding, resourceVersion: '2' } },
    'a related object': { ...created, related: regarding },
    'another type': { ...created, type: 'Warning' },
  };
  for (const [what, other] of Object.entries(apart)) {
    test(`${what} is another event`, async () => {
      const { clock, event, events } = setup();
      event(created);
      event(other);
      await clock.advance(500);
      expect(await events()).toHaveLength(2);
    });
  }

  test('recorders of different controllers do not mix', async () => {
    const { clock, broadcaster, event, events } = setup();
    event(created);
    broadcaster.recorder('rayjob-controller').event(created);
    await clock.advance(500);
    expect((await events()).map((each) => each.reportingInstance).toSorted()).toEqual([
      'raycluster-controller-h',
      'rayjob-controller-h',
    ]);
  });

  test('pods of different groups stay apart, up to five groups', async () => {
    const { clock, event, counts } = setup();
    for (let n = 0; n < 14; n++) event({ ...created, note: `Created worker Pod ns/g${n % 7}-worker-b2c4d` });
    await clock.advance(500);
    expect((await counts()).map((each) => each.replace(/.* /, '')).toSorted()).toEqual(['2', '2', '2', '2', '6']);
  });

  test('different reasons of a failure stay apart, up to five', async () => {
    const { clock, event, counts } = setup();
    for (let n = 0; n < 9; n++) event({ ...failed, note: `reason ${n}` });
    event({ ...failed, note: 'reason 3' });
    await clock.advance(500);
    expect((await counts()).map((each) => each.replace(/.* /, '')).toSorted()).toEqual(['1', '1', '1', '2', '5']);
  });
});

describe('series', () => {
  test('are patched when the count has doubled, and hold the final count once they are over', async () => {
    const { clock, event, counts, writes } = setup();
    for (let n = 0; n < 21; n++) {
      event(created);
      await clock.advance(MINUTE);
    }
    expect(writes()).toEqual(['create', 'patch', 'patch', 'patch', 'patch']);
    expect(await counts()).toEqual(['CreatedWorkerPod 16']);
    await clock.advance(7 * MINUTE);
    expect(await counts()).toEqual(['CreatedWorkerPod 21']);
    expect(writes()).toHaveLength(6);
    expect(clock.pending).toBe(0);
  });

  test('end after six minutes without a repetition: then a new event begins', async () => {
    const { clock, event, counts } = setup();
    event(created);
    await clock.advance(5 * MINUTE);
    event(created);
    await clock.advance(8 * MINUTE);
    event(created);
    await clock.advance(MINUTE);
    expect(await counts()).toEqual(['CreatedWorkerPod 2', 'CreatedWorkerPod 1']);
  });

  test('that run on are kept alive every half hour', async () => {
    const { clock, event, writes } = setup();
    for (let n = 0; n < 70; n++) {
      event(created);
      await clock.advance(MINUTE);
    }
    const before = writes().length;
    for (let n = 0; n < 32; n++) {
      event(created);
      await clock.advance(MINUTE);
    }
    expect(writes().length - before).toBe(1);
  });

  test('whose event the server forgot are written anew with their count', async () => {
    const { clock, client, event, events } = setup();
    event(created);
    await clock.advance(MINUTE);
    const [old] = await events();
    await client.delete(EVENTS, { name: old?.metadata?.name ?? '', namespace: 'ns' });
    event(created);
    await clock.advance(MINUTE);
    expect(await events()).toMatchObject([{ metadata: { name: old?.metadata?.name }, series: { count: 2 } }]);
  });
});

describe('trouble', () => {
  test('without an answer, all wait together and nothing is lost', async () => {
    const { clock, event, counts, refuse, writes, dropped } = setup();
    refuse(new TransportError('refused'));
    for (const reason of ['A', 'B', 'C', 'D', 'E', 'F']) event({ ...created, reason });
    await clock.advance(10_000);
    const tries = writes().length;
    expect(tries).toBeLessThanOrEqual(16);
    event({ ...created, reason: 'A' });
    refuse(undefined);
    await clock.advance(40_000);
    expect((await counts()).toSorted()).toEqual(['A 2', 'B 1', 'C 1', 'D 1', 'E 1', 'F 1']);
    expect(dropped()).toEqual({});
  });

  test('an answer that got lost is not an event twice', async () => {
    const { clock, client, event, counts } = setup();
    const create = client.create.bind(client);
    let isLost = true;
    client.create = async (...args) => {
      const made = await create(...args);
      if (isLost) throw new TransportError('reset');
      return made;
    };
    event(created);
    await clock.advance(600);
    isLost = false;
    event(created);
    event(created);
    await clock.advance(10_000);
    expect(await counts()).toEqual(['CreatedWorkerPod 3']);
  });

  test('a server that says when to come back is obeyed', async () => {
    const { clock, event, refuse, writes } = setup();
    refuse(new ApiError({ method: 'POST', path: '/' }, 429, 'slow down', undefined, 20_000));
    event(created);
    await clock.advance(20_400);
    expect(writes()).toHaveLength(1);
    await clock.advance(200);
    expect(writes()).toHaveLength(2);
  });

  test('an event that never gets through is given up after twelve tries', async () => {
    const { clock, event, refuse, writes, dropped, logged } = setup();
    refuse(apiError(500, 'InternalError'));
    event(created);
    await clock.advance(20 * MINUTE);
    expect(writes()).toHaveLength(12);
    expect(dropped()).toEqual({ retries_exhausted: 1 });
    expect(logged).toEqual(['Event could not be written']);
  });

  const refusals: Record<string, [Error, string, number]> = {
    'a missing permission costs the events and one log line': [apiError(403, 'Forbidden'), 'forbidden', 1],
    'a namespace that is going away costs the events silently': [
      apiError(403, 'Forbidden', [{ reason: 'NamespaceTerminating' }]),
      'namespace_gone',
      0,
    ],
    'a namespace that is gone costs the events silently': [apiError(404, 'NotFound'), 'namespace_gone', 0],
    'an event that the API refuses is logged each time': [apiError(422, 'Invalid'), 'rejected', 2],
  };
  for (const [promise, [error, reason, lines]] of Object.entries(refusals)) {
    test(`dropped: ${promise}`, async () => {
      const { clock, event, refuse, dropped, writes, logged } = setup();
      refuse(error);
      event(created);
      event(failed);
      await clock.advance(MINUTE);
      expect(dropped()).toEqual({ [reason]: 2 });
      expect(writes()).toHaveLength(2);
      expect(logged).toHaveLength(lines);
    });
  }

  test('a burst beyond the queue is counted as dropped, never kept', async () => {
    const { clock, client, event, dropped, events } = setup();
    const start = client.storage.version;
    for (let n = 0; n < 5200; n++) event({ ...created, regarding: { ...regarding, name: `rc-${n}` } });
    expect(dropped()).toEqual({ queue_full: 200 });
    await clock.advance(500);
    expect(client.storage.version - start).toBe((await events()).length);
    expect(await events()).toHaveLength(5000);
  });

  test('at most four writes run at once', async () => {
    const { clock, client, event } = setup();
    let running = 0;
    let most = 0;
    client.create = async (_, object) => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => void clock.setTimer(100, resolve));
      running -= 1;
      return object;
    };
    for (let n = 0; n < 20; n++) event({ ...created, reason: `R${n}` });
    await clock.advance(2000);
    expect([most, running]).toEqual([4, 0]);
  });
});

describe('stopping', () => {
  test('writes what waits, final counts included, without waiting for the fold', async () => {
    const { clock, broadcaster, event, counts } = setup();
    for (let n = 0; n < 4; n++) {
      event(created);
      await clock.advance(1000);
    }
    event(created);
    event(failed);
    await broadcaster.stop(5000);
    expect((await counts()).toSorted()).toEqual(['CreatedWorkerPod 5', 'FailedToCreateWorkerPod 1']);
  });

  test('ends at the deadline when the server does not answer, and says what is lost', async () => {
    const { clock, client, broadcaster, event, dropped, logged } = setup();
    const signals: AbortSignal[] = [];
    client.create = (_type, _object, options) => {
      if (options?.signal) signals.push(options.signal);
      return new Promise(() => undefined);
    };
    for (let n = 0; n < 6; n++) event({ ...created, reason: `R${n}` });
    let isStopped = false;
    const stopped = broadcaster.stop(5000).then(() => (isStopped = true));
    await clock.advance(4999);
    expect(isStopped).toBe(false);
    await clock.advance(1);
    await stopped;
    expect(dropped()).toEqual({ shutdown: 6 });
    expect(logged).toEqual(['events were not written before the deadline']);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    event(created);
    expect(dropped()).toEqual({ shutdown: 7 });
  });

  test('with nothing to write ends at once', async () => {
    const { broadcaster, dropped } = setup();
    await broadcaster.stop(5000);
    expect(dropped()).toEqual({});
  });
});
