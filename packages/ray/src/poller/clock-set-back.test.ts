import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Mood } from '../testing/fake-head.ts';
import { PollerBench } from '../testing/poller-bench.ts';

const HOUR_MS = 3_600_000;
let time: FakeClock;
let bench: PollerBench;
let lagMs: number;
/** The time of day is set back; timers, as on any machine, do not care. */
const setBack = () => {
  lagMs = HOUR_MS;
};
beforeEach(() => {
  time = new FakeClock();
  lagMs = 0;
  bench = new PollerBench({ now: () => time.now() - lagMs, setTimer: (ms, run) => time.setTimer(ms, run) });
});
afterEach(() => bench.poller.close());

const job = { kind: 'job', id: 'j' } as const;
const askJob = () => bench.poller.ask(bench.where(), job, { owner: 'me', everyMs: 3_000 });
const callsWithin = async (ms: number) => {
  const before = bench.head().requests.length;
  await time.advance(ms);
  return bench.head().requests.length - before;
};

describe('when the clock is set back', () => {
  test('a head that is well is asked on its beat', async () => {
    bench.head().setJob('j', { status: 'RUNNING' });
    askJob();
    await time.advance(30_000);
    setBack();
    expect(await callsWithin(30_000)).toBeGreaterThanOrEqual(9);
    bench.head().setJob('j', { status: 'SUCCEEDED' });
    await time.advance(6_000);
    expect(askJob()).toMatchObject({ kind: 'known', value: { status: 'SUCCEEDED' } });
  });

  const moods: Readonly<Record<string, Mood>> = {
    'that fails': { kind: 'wrong', status: 500, body: 'not yet' },
    'that a proxy does not reach': { kind: 'wrong', status: 503, body: 'no healthy upstream' },
    'that is not there': { kind: 'dead' },
  };
  test.each(Object.entries(moods))('a head %s is heard within a minute of its return', async (_, mood) => {
    bench.head().setJob('j', { status: 'RUNNING' });
    bench.head().mood = mood;
    askJob();
    await time.advance(60_000);
    setBack();
    askJob();
    await time.advance(30_000);
    bench.head().mood = { kind: 'well' };
    await time.advance(60_000);
    expect(askJob()).toMatchObject({ kind: 'known', value: { status: 'RUNNING' } });
  });

  test('a head that is away is tried as often as before, not without a pause', async () => {
    bench.head().mood = { kind: 'wrong', status: 503, body: 'no healthy upstream' };
    bench.poller.ask(bench.where(), job, { owner: 'me', everyMs: 3_000, forMs: 2 * HOUR_MS });
    await time.advance(60_000);
    setBack();
    const calls = await callsWithin(600_000);
    expect(calls).toBeGreaterThan(120);
    expect(calls).toBeLessThan(200);
  });

  test('what was heard before a command is out of date, what is heard afterwards is not', async () => {
    bench.head().setJob('j', { status: 'RUNNING' });
    askJob();
    await time.advance(1_000);
    bench.poller.perform(bench.where(), { kind: 'stop', id: 'j' }, { owner: 'me', id: '1' });
    await time.settle();
    setBack();
    await time.advance(10_000);
    expect(askJob()).toMatchObject({ kind: 'known', value: { status: 'STOPPED' } });
  });
});
