import { RAY_LIMITS } from '@manta/base';
import { systemClock } from '@manta/kube';
import { type AnswerNote, createHttpSend, createRayPoller } from '@manta/ray';
import { afterEach, describe, expect, it } from 'vitest';
import { type HostileHeads, startHostileHeads } from './hostile-heads.ts';

const WATCHED_MS = 12_000;
const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Work {
  readonly notes: readonly AnswerNote[];
  /** CPU seconds of this thread for each second. */
  readonly cpuShare: number;
  readonly seconds: number;
}

/** Asks the heads like the operator does for RayServices, and measures what that costs. */
async function watch({ urls }: HostileHeads): Promise<Work> {
  const notes: AnswerNote[] = [];
  const http = createHttpSend();
  const poller = createRayPoller({
    clock: systemClock,
    random: Math.random,
    send: http.send,
    onNews: (owner) => ask(owner),
    onAnswer: (note) => notes.push(note),
  });
  closing.push(() => http.close());
  closing.push(() => poller.close());
  const ask = (url: string) =>
    void poller.ask({ url, session: '1' }, { kind: 'serve' }, { owner: url, everyMs: 2_000 });
  const cpu = process.threadCpuUsage();
  const startedAt = performance.now();
  for (const url of urls) ask(url);
  await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
  const { user, system } = process.threadCpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1000;
  return { notes, cpuShare: (user + system) / 1e6 / seconds, seconds };
}

const parsedBytes = ({ notes }: Work) => notes.reduce((sum, note) => sum + note.bytesParsed, 0);

describe('Ray heads with huge Serve answers', () => {
  it('are refused unread beyond the limit of bytes', async () => {
    const heads = await startHostileHeads(3, { applications: 900, bytesEach: 8_000 });
    closing.push(() => heads.close());
    expect(heads.bytes).toBeGreaterThan(7_000_000);
    const work = await watch(heads);
    expect(work.cpuShare).toBeLessThan(0.3);
    expect(new Set(work.notes.map(({ outcome }) => outcome))).toEqual(new Set(['refused']));
    expect(parsedBytes(work)).toBe(0);
  });

  it('are parsed no faster than their share of bytes allows', async () => {
    const heads = await startHostileHeads(3, { applications: 150, bytesEach: 20_000 });
    closing.push(() => heads.close());
    expect(heads.bytes).toBeLessThan(RAY_LIMITS.answerBytes.serve);
    const work = await watch(heads);
    expect(work.cpuShare).toBeLessThan(0.3);
    expect(work.notes.filter(({ outcome }) => outcome === 'parsed').length).toBeGreaterThanOrEqual(3);
    // Each head is asked once before its cost is known.
    const allowed = 3 * heads.bytes + 3 * RAY_LIMITS.headBytesPerSecond * work.seconds;
    expect(parsedBytes(work)).toBeLessThan(allowed * 1.1);
  });

  it('are refused by their number of applications before anything is made of them', async () => {
    const heads = await startHostileHeads(3, { applications: 30_000, bytesEach: 20 });
    closing.push(() => heads.close());
    const work = await watch(heads);
    expect(work.cpuShare).toBeLessThan(0.3);
    expect(new Set(work.notes.map(({ outcome }) => outcome))).toEqual(new Set(['refused']));
  });
});
