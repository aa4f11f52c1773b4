import { RayCallError } from '../call-error.ts';
import type { JobInfo } from '../job-info.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '@manta/runtime/testing';
import { followJob, type JobEnd, PATIENCE_MS, type TailLogs } from './follow-job.ts';
import { JobOutput } from './job-output.ts';

const info = (status: string): JobInfo => ({ status, message: '', startTime: 0, endTime: 0 });
const unreachable = new RayCallError('nobody is there', {
  failure: 'unreachable',
  method: 'GET',
  url: 'http://head',
  didNothing: true,
});

/** What a head says of the job (a status, `nothing` or `gone`), and what its streams do, one after the other; the last of each goes on for ever. */
interface Play {
  readonly says: readonly string[];
  readonly streams: readonly TailLogs[];
  readonly logs?: string;
}

const breaks =
  (...texts: readonly string[]): TailLogs =>
  async (_id, onText) => {
    for (const text of texts) onText(text);
    throw new Error('cut');
  };
const completes =
  (...texts: readonly string[]): TailLogs =>
  async (_id, onText) => {
    for (const text of texts) onText(text);
  };
const hangs: TailLogs = (_id, onText, giveUp) => {
  onText('a\n');
  return new Promise((_resolve, reject) => giveUp.addEventListener('abort', () => reject(new Error('given up'))));
};

async function play({ says, streams, logs = '' }: Play) {
  const clock = new FakeClock();
  let said = 0;
  let opened = 0;
  let printed = '';
  const ends: JobEnd[] = [];
  const next = <T>(list: readonly T[], at: number): T => list[Math.min(at, list.length - 1)] as T;
  void followJob('j', {
    client: {
      getJob: async () => {
        const word = next(says, said++);
        if (word === 'nothing') throw unreachable;
        return word === 'gone' ? undefined : info(word);
      },
      getJobLogs: async () => logs,
    },
    tail: (...args) => next(streams, opened++)(...args),
    clock,
    print: (text) => {
      printed += text;
    },
  }).then((end) => ends.push(end));
  for (let second = 0; second < 1_500 && ends.length === 0; second += 1) await clock.advance(1_000);
  return { end: ends[0], printed, opened, pending: clock.pending, now: clock.now() };
}

describe('followJob()', () => {
  it.each([
    ['a stream hangs', hangs],
    ['it waits for the next stream', breaks()],
  ])('ends at once when it is aborted while %s', async (_, tail) => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const client = { getJob: async () => info('RUNNING'), getJobLogs: async () => '' };
    const following = followJob('j', { client, tail, clock, print: () => undefined, signal: stop.signal });
    const outcome = following.catch((error: unknown) => error);
    await clock.advance(0);
    stop.abort(new Error('Ctrl-C'));
    expect(await outcome).toEqual(new Error('Ctrl-C'));
    expect(clock.pending).toBe(0);
  });

  it('ends with what Ray says once the stream has ended', async () => {
    const { end, printed } = await play({ says: ['FAILED'], streams: [completes('a\n', 'b\n')] });
    expect(end).toMatchObject({ kind: 'ended', job: { status: 'FAILED' } });
    expect(printed).toBe('a\nb\n');
  });

  it('goes on when the stream breaks, and prints nothing twice', async () => {
    const streams = [breaks('a\n'), breaks(), breaks('a\nb'), completes('a\nb\nc\n')];
    const { end, printed, opened } = await play({ says: ['RUNNING', 'RUNNING', 'RUNNING', 'SUCCEEDED'], streams });
    expect(end).toMatchObject({ kind: 'ended', job: { status: 'SUCCEEDED' } });
    expect(printed).toBe('a\nb\nc\n');
    expect(opened).toBe(4);
  });

  it('goes on when a stream ends in good order though the job has not', async () => {
    const { end, printed } = await play({
      says: ['RUNNING', 'STOPPED'],
      streams: [completes('a\n'), completes('a\nb\n')],
    });
    expect(end).toMatchObject({ kind: 'ended', job: { status: 'STOPPED' } });
    expect(printed).toBe('a\nb\n');
  });

  it('fetches the rest of the output when the job ended behind a broken stream', async () => {
    const { printed } = await play({ says: ['SUCCEEDED'], streams: [breaks('a\n')], logs: 'a\nb\n' });
    expect(printed).toBe('a\nb\n');
  });

  it('fetches the rest of the output where a stream ends in good order too early', async () => {
    const { printed } = await play({ says: ['SUCCEEDED'], streams: [completes()], logs: 'a\nb\n' });
    expect(printed).toBe('a\nb\n');
  });

  it('notices the end of a job behind a stream that hangs', async () => {
    const { end, printed, pending } = await play({ says: ['RUNNING', 'SUCCEEDED'], streams: [hangs], logs: 'a\nb\n' });
    expect(end).toMatchObject({ kind: 'ended', job: { status: 'SUCCEEDED' } });
    expect(printed).toBe('a\nb\n');
    expect(pending).toBe(0);
  });

  it('outlives a head that does not answer for minutes', async () => {
    const silence = Array.from({ length: 20 }, () => 'nothing' as const);
    const { end } = await play({ says: [...silence, 'SUCCEEDED'], streams: [breaks()] });
    expect(end).toMatchObject({ kind: 'ended', job: { status: 'SUCCEEDED' } });
  });

  it('is as patient after an hour of output as at the beginning', async () => {
    const hour = Array.from({ length: 40 }, () => 'RUNNING');
    const { end } = await play({ says: [...hour, 'nothing', 'nothing', 'nothing', 'SUCCEEDED'], streams: [hangs] });
    expect(end).toMatchObject({ kind: 'ended', job: { status: 'SUCCEEDED' } });
  });

  it('gives up on a head that never answers again', async () => {
    const { end, now } = await play({ says: ['nothing'], streams: [breaks()] });
    expect(end).toEqual({ kind: 'silent', error: unreachable });
    expect(now - new FakeClock().now()).toBeGreaterThanOrEqual(PATIENCE_MS);
  });

  it('says that the job is lost where Ray does not know it any more', async () => {
    expect((await play({ says: ['RUNNING', 'gone'], streams: [breaks('a\n')] })).end).toEqual({ kind: 'lost' });
  });
});

describe('JobOutput', () => {
  it('passes on everything once, wherever streams break and however they are cut into pieces', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.array(cuts, { maxLength: 6 }), (log, streams) => {
        let printed = '';
        const output = new JobOutput((text) => {
          printed += text;
        });
        for (const stream of [...streams, [log.length]]) {
          output.startOver();
          let from = 0;
          for (const cut of stream.toSorted((a, b) => a - b)) {
            output.push(log.slice(from, cut));
            from = Math.max(from, Math.min(cut, log.length));
          }
        }
        expect(printed).toBe(log);
      }),
    );
  });
});
