import type { KubeObject } from '@manta/api';
import { ApiError, TransportError } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { initialReflection, type Reflection, type ReflectorEvent, stepReflector } from './reflector.ts';

type Event = ReflectorEvent<KubeObject>;

const call = { method: 'GET', path: '/api/v1/pods' };
const refused = (code: number, retryAfterMs?: number) =>
  new ApiError(call, code, `answer ${code}`, undefined, retryAfterMs);
const tooLarge = new ApiError(call, 504, 'Too large resource version', {
  kind: 'Status',
  reason: 'Timeout',
  details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
});
const broken = new TransportError('connection reset');
const neverSent = new TransportError('connection refused', { wasNeverSent: true });
const pod = (resourceVersion: string): KubeObject => ({ metadata: { name: 'a', namespace: 'n', resourceVersion } });
const failed = (error: unknown, at = 0): Event => ({ type: 'failed', error, at });
const added = (resourceVersion: string): Event => ({
  type: 'watched',
  event: { type: 'ADDED', object: pod(resourceVersion) },
});
const bookmark = (resourceVersion: string, isInitialEventsEnd = false): Event => ({
  type: 'watched',
  event: { type: 'BOOKMARK', resourceVersion, isInitialEventsEnd },
});
const closed: Event = { type: 'closed', at: 0 };
const synced: readonly Event[] = [{ type: 'start' }, bookmark('10', true)];
const old: readonly Event[] = [{ type: 'start' }, failed(refused(422)), { type: 'listed', resourceVersion: '10' }];

/** Where a series of events leads, and what its last event asks for. */
function after(...events: readonly Event[]) {
  let now: Reflection = initialReflection;
  let effects: readonly unknown[] = [];
  for (const event of events) ({ next: now, effects } = stepReflector(now, event));
  return { now, state: now.state, effects, trouble: now.trouble?.kind };
}

describe('a reflector', () => {
  it('starts with a watch that sends what exists, and asks for nothing older than now', () => {
    const { state, effects } = after({ type: 'start' });
    expect(state).toEqual({ phase: 'initial-watch', atLeast: undefined });
    expect(effects).toEqual([{ do: 'discard' }, { do: 'watch', resourceVersion: undefined, isInitial: true }]);
  });

  it('collects what exists, removals included, and takes it over at the end mark', () => {
    const gone: Event = { type: 'watched', event: { type: 'DELETED', object: pod('4') } };
    expect(after({ type: 'start' }, added('3')).effects).toEqual([{ do: 'stage', change: 'ADDED', object: pod('3') }]);
    expect(after({ type: 'start' }, gone).effects).toEqual([{ do: 'stage', change: 'DELETED', object: pod('4') }]);
    expect(after({ type: 'start' }, added('3'), bookmark('4')).effects).toEqual([]);
    const { state, effects } = after({ type: 'start' }, added('3'), bookmark('7', true));
    expect(effects).toEqual([{ do: 'commit', resourceVersion: '7' }]);
    expect(state).toEqual({ phase: 'watching', resourceVersion: '7', isProven: true });
  });

  it.each([400, 422])(
    'lists where the server answers %i to a watch that sends what exists, and remembers it',
    (code) => {
      const { now, effects } = after({ type: 'start' }, failed(refused(code)));
      expect(effects).toEqual([{ do: 'discard' }, { do: 'list', atLeast: undefined }]);
      expect(now).toMatchObject({ state: { phase: 'listing' }, canWatchInitial: false, trouble: undefined });
      const relist = after(...old, added('11'), failed(refused(410)));
      expect(relist.effects).toEqual([{ do: 'discard' }, { do: 'list', atLeast: '11' }]);
    },
  );

  it('watches from the version of the list', () => {
    const { state, effects } = after(...old);
    expect(effects).toEqual([
      { do: 'commit', resourceVersion: '10' },
      { do: 'watch', resourceVersion: '10', isInitial: false },
    ]);
    expect(state).toEqual({ phase: 'watching', resourceVersion: '10', isProven: false });
  });

  it('moves on with each change and each bookmark', () => {
    expect(after(...synced, added('12')).effects).toEqual([
      { do: 'apply', change: 'ADDED', object: pod('12'), resourceVersion: '12' },
    ]);
    expect(after(...synced, bookmark('15')).effects).toEqual([{ do: 'advance', resourceVersion: '15' }]);
    expect(after(...synced, added('12'), bookmark('15')).state).toMatchObject({ resourceVersion: '15' });
  });

  const reconnectsAtOnce = {
    'a server that ends the watch in good order': closed,
    'a connection that breaks': failed(broken),
  };
  it.each(Object.entries(reconnectsAtOnce))('goes on at once, from the last version, after %s', (_title, event) => {
    const { state, effects } = after(...synced, added('12'), event);
    expect(effects).toEqual([{ do: 'watch', resourceVersion: '12', isInitial: false }]);
    expect(state).toEqual({ phase: 'watching', resourceVersion: '12', isProven: false });
  });

  it('does not call a server in a loop that hangs up without ever sending anything', () => {
    expect(after(...synced, closed, closed).effects).toContainEqual({ do: 'wait', delayMs: 800 });
    expect(after(...synced, closed, failed(broken)).effects).toContainEqual({ do: 'wait', delayMs: 800 });
    expect(after(...synced, closed, bookmark('10'), closed).effects).toContainEqual({ do: 'wait', delayMs: 800 });
    expect(after(...synced, closed, { type: 'held' }, closed).effects).toEqual([
      { do: 'watch', resourceVersion: '10', isInitial: false },
    ]);
  });

  it('reads everything anew, at once, when its version is too old', () => {
    const { state, effects } = after(...synced, added('12'), failed(refused(410)));
    expect(state).toEqual({ phase: 'initial-watch', atLeast: '12' });
    expect(effects).toEqual([{ do: 'discard' }, { do: 'watch', resourceVersion: '12', isInitial: true }]);
  });

  it('waits before it reads anew when the version it was just given is too old', () => {
    expect(after(...old, failed(refused(410)))).toMatchObject({
      state: { phase: 'waiting', resume: { from: 'scratch', atLeast: '10' } },
      effects: [{ do: 'discard' }, { do: 'wait', delayMs: 800 }],
    });
  });

  it('takes what the server has when the server is behind us, as after a restored backup', () => {
    const { state } = after(...synced, added('12'), failed(refused(410)), failed(tooLarge));
    expect(state).toEqual({ phase: 'waiting', resume: { from: 'scratch', atLeast: undefined } });
  });

  it('waits longer with each failure, up to half a minute, and forgets them after two quiet minutes', () => {
    const delays: unknown[] = [];
    let series: readonly Event[] = [{ type: 'start' }];
    for (let n = 0; n < 11; n += 1) {
      series = [...series, failed(neverSent, n * 1000)];
      delays.push(after(...series).effects[1]);
      series = [...series, { type: 'woken' }];
    }
    const expected = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];
    expect(delays).toEqual(expected.map((delayMs) => ({ do: 'wait', delayMs })));
    expect(after(...series, failed(neverSent, 10_000_000)).effects[1]).toEqual({ do: 'wait', delayMs: 100 });
  });

  it('waits at least as long as the server asks', () => {
    expect(after({ type: 'start' }, failed(refused(429, 7000))).effects).toContainEqual({ do: 'wait', delayMs: 7000 });
  });

  it('tries a first content again sooner than the second that API servers ask for with every 429, but only three times', () => {
    const delays: unknown[] = [];
    let series: readonly Event[] = [{ type: 'start' }];
    for (let n = 0; n < 4; n += 1) {
      series = [...series, failed(refused(429, 1_000), n)];
      delays.push(after(...series).effects[1]);
      series = [...series, { type: 'woken' }];
    }
    expect(delays).toEqual([250, 250, 400, 1_000].map((delayMs) => ({ do: 'wait', delayMs })));
  });

  it('throws away a half-sent content and starts it again', () => {
    const { state, effects } = after({ type: 'start' }, added('3'), failed(broken), { type: 'woken' });
    expect(state).toEqual({ phase: 'initial-watch', atLeast: undefined });
    expect(effects).toEqual([{ do: 'discard' }, { do: 'watch', resourceVersion: undefined, isInitial: true }]);
  });

  it('takes up the watch where it was after an outage', () => {
    const { state } = after(...synced, closed, failed(neverSent), { type: 'woken' });
    expect(state).toEqual({ phase: 'watching', resourceVersion: '10', isProven: false });
  });

  it('suspects its version after three answers in a row that were errors, and reads everything anew', () => {
    const error = failed(refused(500));
    const twice = after(...synced, error, { type: 'woken' }, error);
    expect(twice.state).toEqual({ phase: 'waiting', resume: { from: 'watch', resourceVersion: '10' } });
    const thrice = after(...synced, error, { type: 'woken' }, error, { type: 'woken' }, error);
    expect(thrice.state).toEqual({ phase: 'waiting', resume: { from: 'scratch', atLeast: '10' } });
  });

  it('does not take a retry for a recovery: trouble ends when something arrives or the watch holds', () => {
    const forbidden = [...synced, failed(refused(403))];
    expect(after(...forbidden).trouble).toBe('forbidden');
    expect(after(...forbidden, { type: 'woken' }).trouble).toBe('forbidden');
    expect(after(...forbidden, { type: 'woken' }, { type: 'held' }).trouble).toBeUndefined();
    expect(after(...forbidden, { type: 'woken' }, added('11')).trouble).toBeUndefined();
    const absent: readonly Event[] = [{ type: 'start' }, failed(refused(404))];
    expect(after(...absent, { type: 'woken' }, added('1')).trouble).toBe('absent');
    expect(after(...absent, { type: 'woken' }, bookmark('1', true)).trouble).toBeUndefined();
  });

  it('reads a kind anew that was not served for a while', () => {
    expect(after(...synced, failed(refused(404)), { type: 'woken' }).state).toEqual({
      phase: 'initial-watch',
      atLeast: '10',
    });
  });

  it('asks for something forbidden ever less often, up to once a minute or two', () => {
    let series: readonly Event[] = [{ type: 'start' }];
    for (let n = 0; n < 10; n += 1) series = [...series, failed(refused(403)), { type: 'woken' }];
    expect(after(...series, failed(refused(403))).effects).toContainEqual({ do: 'wait', delayMs: 60_000 });
  });

  it('ignores what its state does not expect', () => {
    const { now } = after(...synced);
    const strays: readonly Event[] = [{ type: 'start' }, { type: 'woken' }, { type: 'listed', resourceVersion: '1' }];
    for (const stray of strays) expect(stepReflector(now, stray)).toEqual({ next: now, effects: [] });
    const waiting = after(...synced, failed(refused(500))).now;
    expect(stepReflector(waiting, added('99'))).toEqual({ next: waiting, effects: [] });
  });
});
