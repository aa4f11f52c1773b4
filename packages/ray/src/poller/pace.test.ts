import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Mood } from '../testing/fake-head.ts';
import { PollerBench } from '../testing/poller-bench.ts';
import { Pace } from './pace.ts';

let clock: FakeClock;
let bench: PollerBench;
beforeEach(() => {
  clock = new FakeClock();
  bench = new PollerBench(clock);
});
afterEach(() => bench.poller.close());

const job = { kind: 'job', id: 'j' } as const;
const askJob = (name = 'a', owner = 'me') => bench.poller.ask(bench.where(name), job, { owner, everyMs: 3_000 });

test('what fails is tried every thirty seconds at least, however much that is', () => {
  const pace = new Pace();
  const fail = (many: number) => {
    for (let each = 0; each < many; each += 1) pace.fail({});
  };
  fail(2_999);
  expect(pace.shortestPauseMs).toBe(29_990);
  fail(5_000);
  expect(pace.shortestPauseMs).toBe(30_000);
});

test('however much fails, no more than four hundred tries a second come of it', () => {
  const pace = new Pace();
  for (let each = 0; each < 20_000; each += 1) pace.fail({});
  expect(20_000 / (pace.shortestPauseMs / 1000)).toBe(400);
});

describe('heads that refuse', () => {
  const named = (what: string, count: number) => Array.from({ length: count }, (_, index) => `${what}${index}`);
  let tries: string[];
  beforeEach(() => {
    tries = [];
  });
  /** Counts also what reaches nobody. */
  const count = (name: string) => {
    bench.head(name).moodFor = () => {
      tries.push(name);
      return undefined;
    };
  };
  const during = async (ms: number): Promise<number> => {
    tries = [];
    await clock.advance(ms);
    return tries.length;
  };

  /** So many heads refuse at once, and have done so for a while. */
  async function refusing(many: number, mood: Mood = { kind: 'dead' }): Promise<readonly string[]> {
    const names = named('bad', many);
    for (const name of names) {
      bench.head(name).mood = mood;
      count(name);
      askJob(name, name);
    }
    await clock.advance(40_000);
    return names;
  }

  test('are each tried every four seconds, as long as they are not very many', async () => {
    await refusing(400);
    expect(await during(20_000)).toBe(2_000);
  });

  const moods: Readonly<Record<string, Mood>> = {
    'a thousand that refuse connections': { kind: 'dead' },
    'a thousand that answer with errors': { kind: 'wrong', status: 500, body: 'x' },
  };
  test.each(Object.entries(moods))('share a hundred tries a second: %s', async (_, mood) => {
    await refusing(1_000, mood);
    const many = await during(20_000);
    expect(many).toBeLessThanOrEqual(2_000);
    expect(many).toBeGreaterThan(1_800);
  });

  test('do not slow down those that answer, and are noticed within one such round when they are well again', async () => {
    const good = named('good', 50);
    for (const name of good) askJob(name, name);
    const names = await refusing(1_000);
    for (const name of good) count(name);
    await during(9_000);
    expect(tries.filter((name) => name.startsWith('good'))).toHaveLength(150);
    for (const name of names) bench.head(name).mood = { kind: 'well' };
    await clock.advance(10_000);
    expect(names.filter((name) => askJob(name, name).kind !== 'known')).toEqual([]);
  });

  test('count as one, however many questions there are to a head', async () => {
    bench.head().mood = { kind: 'dead' };
    count('a');
    for (const id of named('job', 1_000))
      bench.poller.ask(bench.where(), { kind: 'job', id }, { owner: id, everyMs: 3_000 });
    await clock.advance(40_000);
    expect(await during(20_000)).toBe(5);
  });

  test('make nobody wait any more once they are not asked after', async () => {
    const names = await refusing(1_000);
    for (const name of names) bench.poller.forget(name);
    await clock.advance(60_000);
    bench.head('late').mood = { kind: 'dead' };
    count('late');
    askJob('late', 'late');
    await clock.advance(40_000);
    expect(await during(20_000)).toBe(5);
  });
});
