import { systemClock } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import type { LogMessage } from '../protocol.ts';
import { LOG_LIMITS } from './log-lines.ts';
import { logResponse } from './log-response.ts';

const limits = { ...LOG_LIMITS, pauseMs: 1 };
const signal = new AbortController().signal;

async function read(answer: Response): Promise<readonly LogMessage[]> {
  return (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogMessage);
}

describe('logResponse', () => {
  it('names the source, sends its lines and says that it ended', async () => {
    async function* chunks() {
      yield Buffer.from('one\ntw');
      yield 'o\n';
    }
    const answer = logResponse({ name: 'pod a', isFollowed: false, chunks: chunks() }, { clock: systemClock, signal });
    const messages = await read(answer);
    expect(messages[0]).toEqual({ type: 'source', name: 'pod a' });
    expect(messages.flatMap((message) => (message.type === 'lines' ? message.lines : []))).toEqual(['one', 'two']);
    expect(messages.at(-1)).toEqual({ type: 'end' });
  });

  it('ends with the problem of its source', async () => {
    async function* chunks() {
      yield 'before\n';
      throw new Error('the node is gone');
    }
    const answer = logResponse({ name: 'pod a', isFollowed: true, chunks: chunks() }, { clock: systemClock, signal });
    expect((await read(answer)).slice(-2)).toEqual([
      { type: 'lines', lines: ['before'] },
      { type: 'end', problem: 'the node is gone' },
    ]);
  });

  it('reads a finite log no faster than the browser does', async () => {
    let written = 0;
    async function* chunks() {
      for (; written < 400; written++) yield `${'x'.repeat(999)}\n`.repeat(1000);
    }
    const answer = logResponse(
      { name: 'pod a', isFollowed: false, chunks: chunks() },
      { clock: systemClock, signal, limits },
    );
    const reader = answer.body?.getReader();
    for (let at = 0; at < 3; at++) await reader?.read();
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    expect(written).toBeLessThan(20);
    await reader?.cancel();
  });

  it('drops lines of a followed log that come faster than the browser reads, and never waits for it', async () => {
    async function* chunks() {
      for (let at = 0; at < 400; at++) yield `${at}\n`.repeat(1000);
    }
    const answer = logResponse(
      { name: 'pod a', isFollowed: true, chunks: chunks() },
      { clock: systemClock, signal, limits },
    );
    const messages = await read(answer);
    const lines = messages.flatMap((message) => (message.type === 'lines' ? message.lines : []));
    const dropped = messages.reduce((sum, message) => sum + (message.type === 'lines' ? (message.dropped ?? 0) : 0), 0);
    expect(lines.length + dropped).toBe(400_000);
    expect(lines.length).toBeLessThan(50_000);
    expect(lines.at(-1)).toBe('399');
  });

  it('stops its source when the session ends, and says why', async () => {
    const session = new AbortController();
    let isStopped = false;
    async function* chunks() {
      try {
        yield 'one\n';
        await new Promise((_, reject) => {
          session.signal.addEventListener('abort', () => reject(new Error('aborted')));
        });
      } finally {
        isStopped = true;
      }
    }
    const answer = logResponse(
      { name: 'pod a', isFollowed: true, chunks: chunks() },
      { clock: systemClock, signal: session.signal, limits },
    );
    const all = read(answer);
    setTimeout(() => session.abort(new Error('you logged out')), 30);
    expect((await all).at(-1)).toEqual({ type: 'end', problem: 'you logged out' });
    expect(isStopped).toBe(true);
  });
});
