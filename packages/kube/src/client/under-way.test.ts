import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { UnderWay } from './under-way.ts';

const LIMIT = { young: 2, youngMs: 1000 };

/** Enters, notes its name when it leaves, and hands out how its answer arrives. */
function entrance(clock: ManualClock, limit = LIMIT) {
  const underWay = new UnderWay(clock, limit);
  const left: string[] = [];
  const arrivals = new Map<string, () => void>();
  const send = async (name: string, signal?: AbortSignal, isBulk = false) => {
    const arrived = await underWay.enter(signal, isBulk);
    left.push(name);
    arrivals.set(name, arrived);
  };
  const arrive = async (name: string) => {
    arrivals.get(name)?.();
    await settled();
  };
  return { left, send, arrive };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

test('so many leave at once; the others follow in the order of their calls as answers arrive', async () => {
  const { left, send, arrive } = entrance(new ManualClock());
  for (const name of ['a', 'b', 'c', 'd', 'e']) void send(name);
  await settled();
  expect(left).toEqual(['a', 'b']);
  await arrive('b');
  expect(left).toEqual(['a', 'b', 'c']);
  await arrive('a');
  await arrive('c');
  expect(left).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('an answer that is told of twice makes room for one request', async () => {
  const { left, send, arrive } = entrance(new ManualClock());
  for (const name of ['a', 'b', 'c', 'd']) void send(name);
  await settled();
  await arrive('a');
  await arrive('a');
  expect(left).toEqual(['a', 'b', 'c']);
});

test('requests that are answered slowly keep back the others for a second and no longer', async () => {
  const clock = new ManualClock();
  const { left, send, arrive } = entrance(clock);
  for (const name of ['a', 'b']) void send(name);
  clock.advance(400);
  for (const name of ['c', 'd', 'e']) void send(name);
  await settled();
  clock.advance(599);
  await settled();
  expect(left).toEqual(['a', 'b']);
  clock.advance(1);
  await settled();
  expect(left).toEqual(['a', 'b', 'c', 'd']);
  // Their late answers make no room: they no longer take any.
  await arrive('a');
  expect(left).toEqual(['a', 'b', 'c', 'd']);
  clock.advance(1000);
  await settled();
  expect(left).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('who gives up while waiting takes no place and holds up nobody', async () => {
  const clock = new ManualClock();
  const { left, send, arrive } = entrance(clock);
  const givenUp = new AbortController();
  for (const name of ['a', 'b']) void send(name);
  const waiting = send('c', givenUp.signal);
  void send('d');
  givenUp.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await arrive('a');
  expect(left).toEqual(['a', 'b', 'd']);
  expect(clock.pendingDelaysMs()).toEqual([]);
});

test('bulk leaves while nothing else is young, and gives way to what comes between', async () => {
  const { left, send, arrive } = entrance(new ManualClock(), { young: 4, youngMs: 1000 });
  for (const name of ['b1', 'b2']) void send(name, undefined, true);
  for (const name of ['a', 'c']) void send(name);
  for (const name of ['b3', 'b4']) void send(name, undefined, true);
  await settled();
  expect(left).toEqual(['b1', 'b2', 'a', 'c']);
  await arrive('a');
  await arrive('b1');
  void send('d');
  await settled();
  expect(left).toEqual(['b1', 'b2', 'a', 'c', 'd']);
  await arrive('c');
  await arrive('d');
  expect(left).toEqual(['b1', 'b2', 'a', 'c', 'd', 'b3', 'b4']);
});

test('bulk gives way for a second and no longer, however much else there is', async () => {
  const clock = new ManualClock();
  const { left, send, arrive } = entrance(clock, { young: 4, youngMs: 1000 });
  void send('a0');
  void send('bulk', undefined, true);
  for (let at = 1; at <= 4; at++) {
    clock.advance(300);
    void send(`a${at}`);
    await settled();
    await arrive(`a${at - 1}`);
  }
  expect(left).toEqual(['a0', 'a1', 'a2', 'a3', 'bulk', 'a4']);
});

test('a clock that is set back holds up nobody for longer than a second', async () => {
  let backBy = 0;
  const real = new ManualClock();
  const clock = Object.assign(new ManualClock(), {
    now: () => real.now() - backBy,
    setTimer: (ms: number, run: () => void) => real.setTimer(ms, run),
  });
  const { left, send } = entrance(clock);
  for (const name of ['a', 'b']) void send(name);
  backBy = 3_600_000;
  void send('c');
  real.advance(1000);
  await settled();
  expect(left).toEqual(['a', 'b', 'c']);
});

test('whatever the answers take, no more than the limit are young at once, and all leave', async () => {
  const requests = fc.array(fc.record({ pauseMs: fc.nat(50), answerMs: fc.nat(3000), isBulk: fc.boolean() }), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(requests, fc.integer({ min: 1, max: 5 }), async (all, young) => {
      const clock = new ManualClock();
      const underWay = new UnderWay(clock, { young, youngMs: 1000 });
      const leftAt = new Map<object, number>();
      const send = async (request: (typeof all)[number]) => {
        const arrived = await underWay.enter(undefined, request.isBulk);
        leftAt.set(request, clock.now());
        clock.setTimer(request.answerMs, () => {
          leftAt.delete(request);
          arrived();
        });
      };
      for (const request of all) {
        clock.advance(request.pauseMs);
        void send(request);
        await settled();
        const count = [...leftAt.values()].filter((at) => clock.now() - at < 1000).length;
        expect(count).toBeLessThanOrEqual(young);
      }
      for (let second = 0; second < 300; second++) {
        clock.advance(1000);
        await settled();
      }
      expect(leftAt.size).toBe(0);
      expect(clock.pendingDelaysMs()).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
