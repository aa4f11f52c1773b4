import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Mood } from '../testing/fake-head.ts';
import { PollerBench } from '../testing/poller-bench.ts';

let clock: FakeClock;
let bench: PollerBench;
beforeEach(() => {
  clock = new FakeClock();
  bench = new PollerBench(clock);
});
afterEach(() => bench.poller.close());

const job = { kind: 'job', id: 'j' } as const;
const askJob = (name = 'a', owner = 'me') => bench.poller.ask(bench.where(name), job, { owner, everyMs: 3_000 });

describe('a head that fails', () => {
  const moods: Readonly<Record<string, { mood: Mood; says: RegExp }>> = {
    'because nothing listens': {
      mood: { kind: 'dead' },
      says: /^GetJobInfo fail: GET http:\/\/a:8265\/api\/jobs\/j came to nothing \(connect ECONNREFUSED/,
    },
    'because it never answers': { mood: { kind: 'hanging' }, says: /was not answered within 5 s$/ },
    'because the connection breaks': { mood: { kind: 'lost' }, says: /came to nothing \(socket hang up\)$/ },
    'with an error status': {
      mood: { kind: 'wrong', status: 500, body: 'not yet' },
      says: /^GetJobInfo fail: 500 Internal Server Error not yet$/,
    },
    'with JSON in an error': {
      mood: { kind: 'wrong', status: 503, body: '{"detail":"not now"}' },
      says: /^GetJobInfo fail: 503 Service Unavailable \{"detail":"not now"\}$/,
    },
    'because an API server in between does not find it, which is no word about the job': {
      mood: { kind: 'wrong', status: 404, body: '{"kind":"Status","apiVersion":"v1","reason":"NotFound","code":404}' },
      says: /^GetJobInfo fail: 404 Not Found \{"kind":"Status",/,
    },
    'with a web page': {
      mood: { kind: 'wrong', body: '<html>hello</html>' },
      says: /answered with a web page instead of JSON: <html>hello<\/html>$/,
    },
    'with nothing': { mood: { kind: 'wrong', body: '' }, says: /answered with an empty body$/ },
    'with other JSON': {
      mood: { kind: 'wrong', body: '{"detail":"x"}' },
      says: /answered with JSON that has no status of a job: \{"detail":"x"\}$/,
    },
    'with 200 MB': {
      mood: { kind: 'wrong', bytes: 200_000_000 },
      says: /answered with more than 16 MiB, which is too much to be read$/,
    },
  };
  test.each(Object.entries(moods))(
    '%s: is told as such, with what was known before, and is heard soon after it is well again',
    async (_, { mood, says }) => {
      bench.head().setJob('j', { status: 'RUNNING' });
      askJob();
      await clock.settle();
      const heardAt = clock.now();
      bench.head().mood = mood;
      await clock.advance(9_000);
      const answer = askJob();
      expect(answer).toMatchObject({
        kind: 'failing',
        since: heardAt + 3_000,
        last: { at: heardAt, value: { status: 'RUNNING' } },
      });
      expect(answer.kind === 'failing' && answer.error.message).toMatch(says);
      bench.takeNews();
      await clock.advance(60_000);
      askJob();
      bench.takeNews();
      bench.head().mood = { kind: 'well' };
      await clock.advance(mood.kind === 'hanging' ? 15_000 : 5_000);
      expect(askJob()).toMatchObject({ kind: 'known' });
      expect(bench.takeNews()).toEqual(['me']);
    },
  );

  test('is asked less often than one that is well, never more than 5 s apart, and its owner is told once', async () => {
    bench.head().mood = { kind: 'wrong', status: 502, body: 'bad gateway' };
    bench.poller.ask(bench.where(), job, { owner: 'me', everyMs: 1_000, forMs: 3_600_000 });
    await clock.advance(60_000);
    const before = bench.head().requests.length;
    await clock.advance(600_000);
    expect(bench.head().requests.length - before).toBeGreaterThan(120);
    expect(bench.head().requests.length - before).toBeLessThan(200);
    expect(bench.takeNews()).toEqual(['me']);
    expect(askJob()).toMatchObject({ kind: 'failing', since: Date.UTC(2026, 0, 1) });
  });

  test('is not asked more often than it would be if it were well', async () => {
    bench.head().mood = { kind: 'wrong', status: 500, body: 'x' };
    bench.poller.ask(bench.where(), job, { owner: 'me', everyMs: 60_000, forMs: 3_600_000 });
    await clock.advance(600_000);
    expect(bench.head().requests.length).toBeLessThanOrEqual(11);
  });

  test('is tried by one request on behalf of all that wait, and all of them learn of it', async () => {
    bench.head().mood = { kind: 'hanging' };
    for (let index = 0; index < 50; index += 1) {
      bench.poller.ask(bench.where(), { kind: 'job', id: `${index}` }, { owner: `${index}`, everyMs: 1_000 });
    }
    await clock.advance(60_000);
    expect(bench.head().requests.length).toBeLessThan(12);
    expect(new Set(bench.takeNews()).size).toBe(50);
    bench.head().mood = { kind: 'well' };
    await clock.advance(21_000);
    expect(new Set(bench.takeNews()).size).toBe(50);
  });

  test('that is known to be away answers a new question with that, without being asked', async () => {
    bench.head().mood = { kind: 'hanging' };
    askJob();
    await clock.advance(13_500);
    const asked = bench.head().requests.length;
    expect(bench.poller.ask(bench.where(), { kind: 'nodes' }, { owner: 'other', everyMs: 3_000 })).toMatchObject({
      kind: 'failing',
      since: Date.UTC(2026, 0, 1),
    });
    expect(bench.head().requests).toHaveLength(asked);
  });

  test('at one question only goes on to answer the others on their beat', async () => {
    bench.head().setJob('j', { status: 'RUNNING' });
    bench.head().moodFor = ({ path }) => (path.startsWith('/api/serve') ? { kind: 'hanging' } : undefined);
    askJob();
    bench.poller.ask(bench.where(), { kind: 'serve' }, { owner: 'me', everyMs: 3_000 });
    await clock.advance(60_000);
    const jobs = bench.head().requests.filter(({ path }) => path.startsWith('/api/jobs'));
    expect(jobs.length).toBeGreaterThan(17);
    expect(bench.poller.ask(bench.where(), { kind: 'serve' }, { owner: 'me', everyMs: 3_000 }).kind).toBe('failing');
  });

  test('tells again when it fails in another way', async () => {
    bench.head().mood = { kind: 'wrong', status: 500, body: 'x' };
    askJob();
    await clock.advance(1_000);
    bench.takeNews();
    bench.head().mood = { kind: 'wrong', status: 401, body: 'who are you' };
    await clock.advance(30_000);
    expect(bench.takeNews()).toEqual(['me']);
  });

  test('is back as soon as a command reaches it, pause or not', async () => {
    bench.head().mood = { kind: 'dead' };
    askJob();
    await clock.advance(120_000);
    bench.head().mood = { kind: 'well' };
    bench.poller.perform(bench.where(), { kind: 'stop', id: 'other' }, { owner: 'me', id: '1' });
    await clock.settle();
    expect(askJob()).toMatchObject({ kind: 'known' });
  });
});

describe('heads that hang', () => {
  test('delay nobody else, however many they are', async () => {
    const bad = Array.from({ length: 600 }, (_, index) => `bad${index}`);
    const good = Array.from({ length: 20 }, (_, index) => `good${index}`);
    for (const name of good) askJob(name, name);
    await clock.settle();
    for (const name of bad) {
      bench.head(name).mood = { kind: 'hanging' };
      askJob(name, name);
    }
    for (const name of good) bench.head(name).setJob('j', { status: 'SUCCEEDED' });
    bench.takeNews();
    await clock.advance(3_400);
    expect(bench.takeNews().toSorted()).toEqual(good.toSorted());
  });

  test('that were well once count as hanging from their first miss on', async () => {
    const bad = Array.from({ length: 600 }, (_, index) => `bad${index}`);
    for (const name of [...bad, 'good']) askJob(name, name);
    await clock.advance(1_000);
    for (const name of bad) bench.head(name).mood = { kind: 'hanging' };
    await clock.advance(30_000);
    bench.head('good').setJob('j', { status: 'SUCCEEDED' });
    bench.takeNews();
    await clock.advance(3_400);
    expect(bench.takeNews()).toEqual(['good']);
  });

  test('all get their turn', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `bad${index}`);
    for (const name of names) {
      bench.head(name).mood = { kind: 'hanging' };
      askJob(name, name);
    }
    await clock.advance(60_000);
    expect(names.filter((name) => askJob(name, name).kind !== 'failing')).toEqual([]);
  });
});

describe('bounds', () => {
  test('hold for the requests to one head and to all of them', async () => {
    let underWay = 0;
    const most = { all: 0, head: 0 };
    const perHead = new Map<string, number>();
    bench.poller.close();
    bench = new PollerBench(clock, {
      maxInFlight: 16,
      send: async ({ url }) => {
        const { origin } = new URL(url);
        underWay += 1;
        perHead.set(origin, (perHead.get(origin) ?? 0) + 1);
        most.all = Math.max(most.all, underWay);
        most.head = Math.max(most.head, perHead.get(origin) ?? 0);
        await new Promise<void>((resolve) => clock.setTimer(100, resolve));
        underWay -= 1;
        perHead.set(origin, (perHead.get(origin) ?? 0) - 1);
        return { status: 404, headers: {}, body: (async function* () {})() };
      },
    });
    for (let head = 0; head < 10; head += 1) {
      for (let index = 0; index < 5; index += 1) {
        const where = { url: `http://h${head}:1`, session: '' };
        bench.poller.ask(where, { kind: 'job', id: `${index}` }, { owner: `${index}`, everyMs: 1_000 });
        bench.poller.perform(where, { kind: 'stop', id: `${index}` }, { owner: `${head}`, id: `${index}` });
      }
    }
    await clock.advance(10_000);
    expect(most).toEqual({ all: 16, head: 4 });
  });
});
