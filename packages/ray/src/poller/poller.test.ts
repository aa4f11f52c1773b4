import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PollerBench } from '../testing/poller-bench.ts';

let clock: FakeClock;
let bench: PollerBench;
beforeEach(() => {
  clock = new FakeClock();
  bench = new PollerBench(clock);
});
afterEach(() => bench.poller.close());

const job = { kind: 'job', id: 'j' } as const;
const every3s = { owner: 'me', everyMs: 3_000 };
const askJob = (name = 'a', interest: Parameters<typeof bench.poller.ask>[2] = every3s) =>
  bench.poller.ask(bench.where(name), job, interest);

describe('asking', () => {
  test('never waits: the first answer is "unknown", the owner is told when there is one', async () => {
    bench.head().setJob('j', { status: 'RUNNING' });
    expect(askJob()).toEqual({ kind: 'unknown' });
    expect(bench.news).toEqual([]);
    await clock.settle();
    expect(bench.takeNews()).toEqual(['me']);
    expect(askJob()).toMatchObject({ kind: 'known', value: { status: 'RUNNING' }, at: clock.now() });
  });

  test('a job that the head does not know is an answer, too', async () => {
    askJob();
    await clock.settle();
    expect(askJob()).toEqual({ kind: 'known', value: undefined, at: clock.now() });
  });

  test('goes on by itself on each beat, and tells only what changed', async () => {
    bench.head().setJob('j', { status: 'RUNNING' });
    askJob();
    await clock.advance(30_500);
    expect(bench.head().requests).toHaveLength(11);
    expect(bench.takeNews()).toEqual(['me']);
    bench.head().setJob('j', { status: 'SUCCEEDED' });
    await clock.advance(3_000);
    expect(bench.takeNews()).toEqual(['me']);
    expect(askJob()).toMatchObject({ kind: 'known', value: { status: 'SUCCEEDED' } });
  });

  test('asks once for several owners, on the shortest beat that any of them wants', async () => {
    askJob('a', { owner: 'slow', everyMs: 60_000 });
    askJob('a', { owner: 'quick', everyMs: 1_000 });
    await clock.advance(10_000);
    expect(bench.head().requests).toHaveLength(11);
    expect(bench.takeNews()).toEqual(['slow', 'quick']);
    bench.poller.release('quick');
    await clock.advance(59_000);
    expect(bench.head().requests).toHaveLength(11);
    await clock.advance(2_000);
    expect(bench.head().requests).toHaveLength(12);
  });

  test('a thousand jobs are asked after more slowly, three hundred are not; news that somebody awaits comes at once', async () => {
    const count = async (heads: number) => {
      const names = Array.from({ length: heads }, (_, index) => `h${index}`);
      for (const name of names) askJob(name, { owner: name, everyMs: 3_000 });
      await clock.advance(1_000);
      const asked = () => names.reduce((sum, name) => sum + bench.head(name).requests.length, 0);
      const before = asked();
      await clock.advance(30_000);
      return asked() - before;
    };
    expect(await count(300)).toBe(3_000);
    expect(await count(1_000)).toBe(3_000);
    const before = bench.head('h1').requests.length;
    askJob('h1', { owner: 'h1', everyMs: 3_000, newerThan: clock.now() });
    await clock.advance(2);
    expect(bench.head('h1').requests).toHaveLength(before + 1);
    for (let index = 300; index < 1_000; index += 1) bench.poller.forget(`h${index}`);
    expect(await count(300)).toBeGreaterThanOrEqual(2_700);
  });

  test('a shorter beat counts at once, not after the long one that was running', async () => {
    askJob('a', { owner: 'me', everyMs: 3_600_000 });
    await clock.advance(5_000);
    askJob('a', { owner: 'me', everyMs: 1_000 });
    await clock.settle();
    expect(bench.head().requests).toHaveLength(2);
  });

  test('beats are spread by chance, so that heads are not asked all at the same moment', async () => {
    const moments = new Set<number>();
    let state = 1;
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    bench.poller.close();
    bench = new PollerBench(clock, { random });
    const names = Array.from({ length: 20 }, (_, index) => `h${index}`);
    for (const name of names) {
      bench.head(name).moodFor = () => {
        moments.add(clock.now());
        return undefined;
      };
      askJob(name, { owner: name, everyMs: 10_000 });
    }
    const start = clock.now();
    await clock.advance(11_000);
    const later = [...moments].filter((moment) => moment > start).map((moment) => moment - start);
    expect(later.length).toBeGreaterThan(15);
    expect(Math.min(...later)).toBeGreaterThanOrEqual(9_000);
    expect(Math.max(...later)).toBeLessThanOrEqual(11_000);
  });

  test('sends the newest token that any asker has', async () => {
    bench.poller.ask({ ...bench.where(), token: 'old' }, job, every3s);
    await clock.settle();
    bench.poller.ask({ ...bench.where(), token: 'new' }, job, every3s);
    await clock.advance(3_100);
    expect(bench.head().requests.map((request) => request.headers['x-ray-authorization'])).toEqual([
      'Bearer old',
      'Bearer new',
    ]);
  });

  test("a Serve proxy's health is asked at its own address, without the token, and apart from the dashboard", async () => {
    bench.head('dashboard').mood = { kind: 'dead' };
    const head = { ...bench.where('dashboard'), token: 'secret' };
    bench.head('proxy').isProxyHealthy = false;
    const question = { kind: 'proxy-health', url: 'http://proxy:8265' } as const;
    bench.poller.ask(head, { kind: 'serve' }, every3s);
    bench.poller.ask(head, question, every3s);
    await clock.settle();
    expect(bench.poller.ask(head, question, every3s)).toMatchObject({ kind: 'known', value: false });
    bench.head('proxy').isProxyHealthy = true;
    await clock.advance(3_100);
    expect(bench.poller.ask(head, question, every3s)).toMatchObject({ kind: 'known', value: true });
    expect(bench.head('proxy').requests[0]?.headers).not.toHaveProperty('x-ray-authorization');
    expect(bench.poller.ask(head, { kind: 'serve' }, every3s).kind).toBe('failing');
  });
});

describe('an interest', () => {
  test('that is not renewed ends, and its owner is told so that it can renew it', async () => {
    askJob('a', { owner: 'me', everyMs: 60_000, forMs: 90_000 });
    await clock.advance(89_000);
    expect(bench.takeNews()).toEqual(['me']);
    await clock.advance(2_000);
    expect(bench.takeNews()).toEqual(['me']);
    const asked = bench.head().requests.length;
    await clock.advance(600_000);
    expect(bench.head().requests).toHaveLength(asked);
    expect(bench.takeNews()).toEqual([]);
  });

  test('is kept alive by asking', async () => {
    for (let minute = 0; minute < 30; minute += 1) {
      askJob('a', { owner: 'me', everyMs: 30_000, forMs: 90_000 });
      await clock.advance(60_000);
    }
    expect(bench.takeNews()).toEqual(['me']);
    expect(bench.head().requests.length).toBeGreaterThan(55);
  });

  test('that was let go and taken up again within a minute finds the last answer', async () => {
    bench.head().setJob('j', { status: 'RUNNING' });
    askJob();
    await clock.settle();
    bench.poller.release('me', job);
    await clock.advance(30_000);
    expect(bench.head().requests).toHaveLength(1);
    expect(askJob().kind).toBe('known');
  });

  test('leaves nothing behind once it is forgotten', async () => {
    askJob();
    bench.poller.perform(bench.where(), { kind: 'stop', id: 'j' }, { owner: 'me', id: '1' });
    await clock.advance(10_000);
    bench.poller.forget('me');
    expect(bench.poller.results('me')).toEqual([]);
    await clock.advance(60_001);
    expect(clock.pending).toBe(0);
    expect(askJob()).toEqual({ kind: 'unknown' });
  });

  test('ends without a trace when the poller is closed', async () => {
    bench.head().mood = { kind: 'hanging' };
    askJob();
    askJob('b');
    bench.poller.perform(bench.where(), { kind: 'stop', id: 'j' }, { owner: 'me', id: '1' });
    await clock.advance(1_000);
    bench.takeNews();
    bench.poller.close();
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
    expect(bench.takeNews()).toEqual([]);
  });
});

describe('an answer newer than a moment', () => {
  test('is asked for at once, and told even when it says the same', async () => {
    bench.head().setJob('j', { status: 'RUNNING' });
    askJob('a', { owner: 'me', everyMs: 60_000 });
    await clock.advance(5_000);
    bench.takeNews();
    const since = { owner: 'me', everyMs: 60_000, newerThan: clock.now() };
    expect(askJob('a', since)).toMatchObject({ kind: 'unknown', last: { value: { status: 'RUNNING' } } });
    await clock.advance(2);
    expect(bench.takeNews()).toEqual(['me']);
    expect(askJob('a', since)).toMatchObject({ kind: 'known' });
    await clock.advance(1_000);
    expect(bench.head().requests).toHaveLength(2);
  });

  test('is not the one that was already under way', async () => {
    bench.head().delayMs = 1_000;
    askJob();
    await clock.advance(500);
    bench.head().setJob('j', { status: 'RUNNING' });
    const since = { ...every3s, newerThan: clock.now() };
    askJob('a', since);
    await clock.advance(600);
    expect(askJob('a', since)).toMatchObject({ kind: 'unknown' });
    await clock.advance(1_000);
    expect(askJob('a', since)).toMatchObject({ kind: 'known', value: { status: 'RUNNING' } });
  });

  test('may also be a failure', async () => {
    askJob();
    await clock.advance(100);
    bench.head().mood = { kind: 'dead' };
    const since = { ...every3s, newerThan: clock.now() };
    askJob('a', since);
    await clock.advance(2);
    expect(askJob('a', since)).toMatchObject({ kind: 'failing', last: { value: undefined } });
  });
});

describe('another life of the head', () => {
  test('knows nothing of what was heard before', async () => {
    bench.head().setJob('j', { status: 'SUCCEEDED' });
    askJob();
    await clock.settle();
    bench.head().restart();
    const next = bench.where('a', '2');
    expect(bench.poller.ask(next, job, every3s)).toEqual({ kind: 'unknown' });
    await clock.settle();
    expect(bench.poller.ask(next, job, every3s)).toMatchObject({ kind: 'known', value: undefined });
  });

  test('is asked at once although the old one was failing, which is asked no more', async () => {
    bench.head().mood = { kind: 'dead' };
    askJob();
    await clock.advance(120_000);
    bench.head().mood = { kind: 'well' };
    bench.poller.ask(bench.where('a', '2'), job, every3s);
    await clock.advance(31_000);
    expect(bench.head().requests).toHaveLength(11);
  });

  test('does not take over an answer that was under way to the old one', async () => {
    bench.head().setJob('j', { status: 'RUNNING' });
    bench.head().delayMs = 1_000;
    askJob();
    await clock.advance(500);
    bench.head().restart();
    bench.poller.ask(bench.where('a', '2'), job, every3s);
    bench.head().setJob('j', { status: 'FAILED' });
    await clock.advance(600);
    expect(bench.poller.ask(bench.where('a', '2'), job, every3s)).toEqual({ kind: 'unknown' });
  });
});
