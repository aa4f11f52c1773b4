import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Command } from '../command.ts';
import { PollerBench } from '../testing/poller-bench.ts';

let clock: FakeClock;
let bench: PollerBench;
beforeEach(() => {
  clock = new FakeClock();
  bench = new PollerBench(clock);
});
afterEach(() => bench.poller.close());

const submit: Command = { kind: 'submit', request: { entrypoint: 'python x.py', submissionId: 'j' } };
const perform = (command: Command = submit, id = '1', name = 'a') =>
  bench.poller.perform(bench.where(name), command, { owner: 'me', id });
const job = { kind: 'job', id: 'j' } as const;
const askJob = () => bench.poller.ask(bench.where(), job, { owner: 'me', everyMs: 60_000 });

describe('a command', () => {
  test('runs in the background, once per id, and its end is told', async () => {
    perform();
    perform();
    expect(bench.poller.results('me')).toEqual([
      { id: '1', command: submit, session: '1', startedAt: clock.now(), state: 'running' },
    ]);
    await clock.settle();
    perform();
    await clock.settle();
    expect(bench.head().executions).toEqual([{ id: 'j', life: 1 }]);
    expect(bench.takeNews()).toEqual(['me']);
    expect(bench.poller.results('me')).toMatchObject([
      { state: 'done', outcome: { kind: 'submit', submissionId: 'j', alreadyExisted: false } },
    ]);
  });

  test('whose job is already there is done', async () => {
    perform();
    perform(submit, '2');
    await clock.settle();
    expect(bench.poller.results('me')).toMatchObject([
      { id: '1', outcome: { alreadyExisted: false } },
      { id: '2', outcome: { alreadyExisted: true } },
    ]);
    expect(bench.head().executions).toHaveLength(1);
  });

  test('that is settled may be given again under the same id', async () => {
    perform({ kind: 'stop', id: 'j' });
    await clock.settle();
    bench.poller.settle('me', '1');
    expect(bench.poller.results('me')).toEqual([]);
    perform({ kind: 'stop', id: 'j' });
    await clock.settle();
    expect(bench.head().requests).toHaveLength(2);
  });

  test('that is settled while it runs goes on and is not told', async () => {
    bench.head().delayMs = 100;
    perform();
    bench.poller.settle('me', '1');
    await clock.advance(200);
    expect(bench.head().executions).toHaveLength(1);
    expect(bench.takeNews()).toEqual([]);
    expect(bench.poller.results('me')).toEqual([]);
  });

  test('is tried once: a failure is told, with whether the head may have acted', async () => {
    bench.head('away').mood = { kind: 'dead' };
    perform(submit, 'dead', 'away');
    bench.head('cut').mood = { kind: 'lost' };
    perform(submit, 'lost', 'cut');
    bench.head('no').mood = { kind: 'wrong', status: 400, body: 'bad request' };
    perform(submit, 'refused', 'no');
    bench.head('ill').mood = { kind: 'wrong', status: 500, body: 'x' };
    perform(submit, 'ill', 'ill');
    bench.head('slow').mood = { kind: 'hanging' };
    perform(submit, 'late', 'slow');
    await clock.advance(60_000);
    const results = bench.poller
      .results('me')
      .map((result) => [result.id, result.state === 'failed' && [result.error.failure, result.error.didNothing]]);
    expect(Object.fromEntries(results)).toEqual({
      dead: ['unreachable', true],
      lost: ['unreachable', false],
      refused: ['status', true],
      ill: ['status', false],
      late: ['timeout', false],
    });
    for (const name of ['cut', 'no', 'ill', 'slow']) expect(bench.head(name).requests).toHaveLength(1);
  });

  test('makes what was heard before about its job old, and asks at once', async () => {
    askJob();
    await clock.advance(10_000);
    bench.takeNews();
    perform();
    await clock.settle();
    expect(bench.takeNews()).toEqual(['me']);
    expect(askJob()).toMatchObject({ kind: 'unknown', last: { value: undefined } });
    await clock.advance(2);
    expect(bench.takeNews()).toEqual(['me']);
    expect(askJob()).toMatchObject({ kind: 'known', value: { status: 'PENDING' } });
    expect(bench.head().requests).toHaveLength(3);
  });

  test('does the same for Serve, and leaves other questions alone', async () => {
    const interest = { owner: 'me', everyMs: 60_000 };
    bench.poller.ask(bench.where(), { kind: 'serve' }, interest);
    askJob();
    await clock.advance(10_000);
    perform({ kind: 'put-serve', config: { applications: [{ name: 'app', import_path: 'a:b' }] } });
    await clock.advance(2);
    expect(bench.poller.ask(bench.where(), { kind: 'serve' }, interest)).toMatchObject({
      kind: 'known',
      value: { applications: { app: { status: 'RUNNING' } } },
    });
    expect(askJob().kind).toBe('known');
    expect(bench.head().requests.filter(({ path }) => path.startsWith('/api/jobs'))).toHaveLength(1);
  });

  test('that failed without a trace leaves answers as they are', async () => {
    askJob();
    await clock.advance(10_000);
    bench.head().mood = { kind: 'dead' };
    perform();
    await clock.settle();
    expect(askJob().kind).toBe('known');
  });

  test('is not held up by questions that hang', async () => {
    bench.head().moodFor = ({ method }) => (method === 'GET' ? { kind: 'hanging' } : undefined);
    for (let index = 0; index < 5; index += 1) {
      bench.poller.ask(bench.where(), { kind: 'job', id: `${index}` }, { owner: 'me', everyMs: 1_000 });
    }
    perform();
    await clock.settle();
    expect(bench.poller.results('me')).toMatchObject([{ state: 'done' }]);
  });

  test('given to a head that is left alone is tried all the same', async () => {
    bench.head().mood = { kind: 'dead' };
    askJob();
    await clock.advance(100_000);
    bench.head().mood = { kind: 'well' };
    perform();
    await clock.settle();
    expect(bench.poller.results('me')).toMatchObject([{ state: 'done' }]);
  });

  test('that waits for its turn is not sent while commands are suspended, and is sent once they are resumed', async () => {
    bench.head().delayMs = 100;
    perform({ kind: 'stop', id: 'a' }, '1');
    perform({ kind: 'stop', id: 'b' }, '2');
    perform({ kind: 'stop', id: 'c' }, '3');
    perform({ kind: 'stop', id: 'd' }, '4');
    await clock.settle();
    bench.poller.suspendCommands();
    perform({ kind: 'stop', id: 'e' }, '5');
    await clock.advance(600_000);
    // Two commands were under way when commands were suspended.
    const sent = () => bench.head().requests.map(({ path }) => path.split('/')[3]);
    expect(sent()).toEqual(['a', 'b']);
    const states = () => bench.poller.results('me').map(({ state }) => state);
    expect(states()).toEqual(['done', 'done', 'running', 'running', 'running']);
    bench.poller.resumeCommands();
    await clock.advance(1_000);
    expect(sent()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(states()).toEqual(['done', 'done', 'done', 'done', 'done']);
  });

  test('that waits for a free request over all heads is not sent once commands are suspended', async () => {
    bench = new PollerBench(clock, { maxInFlight: 1 });
    bench.head('busy').delayMs = 100;
    perform({ kind: 'stop', id: 'a' }, '1', 'busy');
    perform({ kind: 'stop', id: 'b' }, '2', 'other');
    await clock.settle();
    bench.poller.suspendCommands();
    await clock.advance(10_000);
    expect(bench.head('other').requests).toEqual([]);
    bench.poller.resumeCommands();
    await clock.advance(10_000);
    expect(bench.head('other').requests).toHaveLength(1);
  });

  test('leaves questions alone while commands are suspended', async () => {
    bench.poller.suspendCommands();
    askJob();
    await clock.settle();
    expect(askJob().kind).toBe('known');
  });

  test('that waits when the poller is closed is never sent', async () => {
    bench.poller.suspendCommands();
    perform();
    await clock.settle();
    bench.poller.close();
    bench.poller.resumeCommands();
    await clock.advance(60_000);
    expect(bench.head().requests).toEqual([]);
  });

  test('leaves no timer and no head behind', async () => {
    perform();
    await clock.advance(1_000);
    bench.poller.forget('me');
    expect(clock.pending).toBe(0);
  });
});
