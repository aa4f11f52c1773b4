import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ContainerMoment } from '../pods/container-state.ts';
import { OutputTimes } from '../pods/output-times.ts';
import { serveLog } from './log.ts';

let folder: string;
let clock: FakeClock;
let present: OutputTimes;
let past: OutputTimes | undefined;
let moment: ContainerMoment;
/** Whether it runs. */
let process: object | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-log-'));
  clock = new FakeClock(Date.UTC(2026, 0, 1));
  present = new OutputTimes(join(folder, 'present'), clock);
  past = undefined;
  moment = { state: 'running', startMs: 0, isReady: true };
  process = undefined;
});
afterEach(() => {
  present.close();
  past?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A line a second, from second 1 on. */
async function say(...lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    await clock.advance(1000);
    appendFileSync(present.path, line);
    present.since(0);
  }
}

const container = () =>
  ({
    container: { name: 'main' },
    get process() {
      return process;
    },
    output: (isPrevious: boolean) => (isPrevious ? past : present)?.path ?? '',
    times: (isPrevious: boolean) => (isPrevious ? past : present),
    view: () => ({ moment }),
  }) as never;

function ask(query: string): { readonly answer: Promise<string>; readonly served: Promise<void> } {
  const response = Object.assign(new PassThrough(), { writeHead: () => response });
  const pod = { metadata: { name: 'p' } };
  const call = { query: new URLSearchParams(query), response, pod } as never;
  return { answer: text(response), served: serveLog(container(), call, clock.now()) };
}

async function logOf(query: string): Promise<string> {
  const { answer, served } = ask(query);
  await served;
  return await answer;
}

describe('the log of a container', () => {
  it.each([
    ['all of it', '', 'one\ntwo\nthree\n'],
    ['its last lines', 'tailLines=2', 'two\nthree\n'],
    ['no line', 'tailLines=0', ''],
    ['all of it where more lines are asked for than there are', 'tailLines=9', 'one\ntwo\nthree\n'],
    ['so many bytes', 'limitBytes=5', 'one\nt'],
    ['so many bytes of its last lines', 'limitBytes=5&tailLines=1', 'three'],
    ['what was said in the last seconds', 'sinceSeconds=1', 'two\nthree\n'],
    ['what was said from a time on', 'sinceTime=2026-01-01T00:00:03Z', 'three\n'],
    ['the last of the lines that are young enough', 'sinceSeconds=2&tailLines=1', 'three\n'],
    ['the young enough of the last lines', 'sinceSeconds=1&tailLines=3', 'two\nthree\n'],
    ['nothing where nothing is young enough', 'sinceTime=2026-01-01T00:00:04Z', ''],
    [
      'each line with its time',
      'timestamps=true&tailLines=2',
      '2026-01-01T00:00:02.000000000Z two\n2026-01-01T00:00:03.000000000Z three\n',
    ],
    ['no more bytes with times than without', 'timestamps=true&limitBytes=12', '2026-01-01T0'],
  ])('is given as %s', async (_, query, expected) => {
    await say('one\n', 'two\n', 'three\n');
    expect(await logOf(query)).toBe(expected);
  });

  it('counts a line that has not ended yet', async () => {
    await say('one\n', 'tw');
    expect(await logOf('tailLines=1')).toBe('tw');
    expect(await logOf('timestamps=true&tailLines=1')).toBe('2026-01-01T00:00:02.000000000Z tw');
  });

  it('is that of the run before, where that is asked for', async () => {
    await expect(logOf('previous=true')).rejects.toThrow('previous terminated container "main" in pod "p" not found');
    past = new OutputTimes(join(folder, 'past'), clock);
    writeFileSync(past.path, 'last time\n');
    await say('now\n');
    expect(await logOf('previous=true')).toBe('last time\n');
    expect(await logOf('previous=true&follow=true')).toBe('last time\n');
  });

  it.each([
    ['ContainerCreating', 'is waiting to start: ContainerCreating'],
    ['ErrImagePull', "is waiting to start: image can't be pulled"],
  ])('is refused while it waits with %s', async (reason, words) => {
    rmSync(present.path);
    moment = { state: 'waiting', reason };
    await expect(logOf('')).rejects.toThrow(`container "main" in pod "p" ${words}`);
  });

  it('is followed, with times, until the container ends', async () => {
    await say('one\n');
    process = {};
    const { answer, served } = ask('follow=true&timestamps=true');
    await say('tw');
    await vi.waitFor(() => expect(present.at(4)).toBe(Date.UTC(2026, 0, 1, 0, 0, 2)));
    await say('o\n');
    process = undefined;
    await served;
    expect(await answer).toBe('2026-01-01T00:00:01.000000000Z one\n2026-01-01T00:00:02.000000000Z two\n');
  });

  it('is followed no further than so many bytes', async () => {
    process = {};
    const { answer, served } = ask('follow=true&limitBytes=6');
    await say('one\n', 'two\n');
    await served;
    expect(await answer).toBe('one\ntw');
  });
});
