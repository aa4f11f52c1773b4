import { RAY_LIMITS } from '@manta/base';
import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PollerBench } from '../testing/poller-bench.ts';
import type { AnswerNote } from './contract.ts';

const MIB = 1024 * 1024;
let clock: FakeClock;
let bench: PollerBench;
let notes: AnswerNote[];
beforeEach(() => {
  clock = new FakeClock();
  notes = [];
  bench = new PollerBench(clock, { onAnswer: (note) => notes.push(note) });
});
afterEach(() => bench.poller.close());

const serve = { kind: 'serve' } as const;
const job = { kind: 'job', id: 'j' } as const;
const ask = (name = 'a', newerThan?: number) =>
  bench.poller.ask(bench.where(name), serve, { owner: name, everyMs: 2_000, forMs: 3_600_000, newerThan });
const parsed = () => notes.reduce((sum, note) => sum + note.bytesParsed, 0);
const outcomes = () => notes.map(({ outcome }) => outcome);

/** A head whose Serve answer has about so many bytes, and changes with each question if `isMoving`. */
function large(name: string, bytes: number, isMoving: boolean): void {
  const filler = 'x'.repeat(bytes);
  let count = 0;
  bench.head(name).moodFor = () => {
    count += isMoving ? 1 : 0;
    return { kind: 'wrong', status: 200, body: `{"applications":{},"filler":"${filler}","count":${count}}` };
  };
}

describe('an answer that has not changed', () => {
  it('is parsed once, and gives the same value again', async () => {
    bench.head().applications.set('app', { status: 'RUNNING' });
    ask();
    await clock.advance(60_000);
    expect(outcomes().slice(0, 3)).toEqual(['parsed', 'unchanged', 'unchanged']);
    expect(outcomes().filter((outcome) => outcome === 'parsed')).toHaveLength(1);
    expect(ask()).toMatchObject({ kind: 'known', value: { applications: { app: { status: 'RUNNING' } } } });
    bench.head().applications.set('app', { status: 'UNHEALTHY' });
    await clock.advance(3_000);
    expect(ask()).toMatchObject({ kind: 'known', value: { applications: { app: { status: 'UNHEALTHY' } } } });
  });
});

describe('a head with expensive answers', () => {
  it('makes the operator parse no more than its share of bytes', async () => {
    large('a', 3 * MIB, true);
    ask();
    await clock.advance(100_000);
    expect(parsed() / 100).toBeLessThanOrEqual(RAY_LIMITS.headBytesPerSecond * 1.1);
    expect(parsed() / 100).toBeGreaterThan(RAY_LIMITS.headBytesPerSecond * 0.8);
  });

  it('is not asked more often by a caller that wants news at once', async () => {
    large('a', 3 * MIB, true);
    for (let second = 0; second < 60; second += 1) {
      ask('a', clock.now());
      await clock.advance(1_000);
    }
    expect(parsed() / 60).toBeLessThanOrEqual(RAY_LIMITS.headBytesPerSecond * 1.1);
  });

  it('shares one budget with all others, and delays no head with cheap answers', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `bad${index}`);
    for (const name of names) large(name, MIB, true);
    for (const name of [...names, 'good']) ask(name);
    await clock.advance(10_000);
    notes = [];
    const before = bench.head('good').requests.length;
    await clock.advance(50_000);
    expect(parsed() / 50).toBeLessThanOrEqual(RAY_LIMITS.allBytesPerSecond * 1.1);
    expect(bench.head('good').requests.length - before).toBeGreaterThan(20);
  });

  it('is asked on its beat again as soon as its answers are cheap', async () => {
    large('a', 3 * MIB, true);
    ask();
    await clock.advance(30_000);
    bench.head().moodFor = () => undefined;
    await clock.advance(4_000);
    const before = bench.head().requests.length;
    await clock.advance(20_000);
    expect(bench.head().requests.length - before).toBeGreaterThan(8);
  });
});

describe('an answer beyond the limits', () => {
  const refusals = {
    'too many bytes': [
      () => `{"x":"${'x'.repeat(RAY_LIMITS.answerBytes.serve)}"}`,
      /answered with more than 6 MiB, which is too much to be read$/,
    ],
    'too many levels': [
      () => `${'['.repeat(RAY_LIMITS.answerDepth + 1)}${']'.repeat(RAY_LIMITS.answerDepth + 1)}`,
      /answered with JSON of more than 100 levels, which is too much to be read$/,
    ],
    'too many values': [
      () => JSON.stringify(Array.from({ length: RAY_LIMITS.answerValues }, () => 0)),
      /answered with JSON of more than 400000 values, which is too much to be read$/,
    ],
    'too many applications': [
      () => JSON.stringify({ applications: Object.fromEntries(many(1_001, () => ({}))) }),
      /answered with 1001 applications; at most 1000 are read$/,
    ],
    'too many deployments': [
      () =>
        JSON.stringify({
          applications: Object.fromEntries(
            many(101, () => ({ deployments: Object.fromEntries(many(100, () => ({}))) })),
          ),
        }),
      /answered with 10100 deployments; at most 10000 are read$/,
    ],
  } as const;
  it.each(Object.entries(refusals))('is refused: %s', async (_, [body, says]) => {
    bench.head().mood = { kind: 'wrong', status: 200, body: body() };
    ask();
    await clock.advance(1_000);
    const answer = ask();
    expect(answer.kind === 'failing' && answer.error.message).toMatch(says);
    expect(outcomes()).toEqual(['refused']);
  });

  it('keeps no more text than fits into a status', async () => {
    const application = { status: 'S'.repeat(5_000), message: 'm'.repeat(20_000) };
    const applications = Object.fromEntries(many(200, () => application));
    bench.head().mood = { kind: 'wrong', status: 200, body: JSON.stringify({ applications }) };
    ask();
    await clock.advance(1_000);
    const answer = ask();
    expect(answer.kind).toBe('known');
    expect(JSON.stringify(answer).length).toBeLessThan(RAY_LIMITS.keptCharacters + 200 * 500);
  });

  it('does not count against the memory for answers once it is read or given up', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `head${index}`);
    for (const name of names) {
      large(name, 5 * MIB, false);
      ask(name);
    }
    await clock.advance(15_000);
    expect(names.filter((name) => ask(name).kind !== 'known')).toEqual([]);
  });
});

function many<T>(count: number, value: () => T): readonly (readonly [string, T])[] {
  return Array.from({ length: count }, (_, index) => [`n${index}`, value()] as const);
}

describe('heads that begin large answers and do not end them', () => {
  it('take no room from small answers of others', async () => {
    const chunk = Buffer.alloc(64 * 1024, ' ');
    async function* endless(signal: AbortSignal): AsyncGenerator<Uint8Array> {
      for (let left = RAY_LIMITS.answerBytes.job; left > 0; left -= chunk.length) yield chunk;
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    }
    async function* short(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"status":"RUNNING"}');
    }
    const crowd = new PollerBench(clock, {
      onAnswer: (note) => notes.push(note),
      send: async ({ url, signal }) =>
        url.startsWith('http://good')
          ? { status: 200, headers: {}, body: short() }
          : { status: 200, headers: {}, body: endless(signal) },
    });
    const about = (name: string) =>
      crowd.poller.ask({ url: `http://${name}:1`, session: '1' }, job, {
        owner: name,
        everyMs: 2_000,
        forMs: 3_600_000,
      });
    for (let index = 0; index < 20; index += 1) about(`bad${index}`);
    await clock.advance(1_000);
    let unknown = 0;
    for (let second = 0; second < 60; second += 1) {
      if (about('good').kind !== 'known') unknown += 1;
      await clock.advance(1_000);
    }
    crowd.poller.close();
    expect(unknown).toBeLessThanOrEqual(1);
  });
});
