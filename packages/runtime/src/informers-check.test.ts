import { ApiError } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { createInformer } from './informer.ts';
import { informersCheck } from './informers-check.ts';
import { silentLogger } from './logger.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';

const type = (kind: string) => ({ group: 'g', version: 'v1', plural: `${kind}s`, kind, isNamespaced: true });

/** Two informers; requests about the second kind fail so many times. */
function setUp(failures: number, error: (path: string) => Error) {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  let failed = 0;
  client.faults.onRequest = ({ path }) => {
    if (path.includes('Slows') && failed++ < failures) throw error(path);
  };
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const log = { ...silentLogger, named: () => log, with: () => log, warn: note('warn'), info: note('info') };
  const world = { clock, client, random: () => 0.9, log };
  const options = { project: (object: unknown) => object, isForeign: true };
  const informers = ['Quick', 'Slow'].map((kind) => createInformer(world, { ...options, type: type(kind) }));
  const stop = new AbortController();
  for (const informer of informers) void informer.run(stop.signal);
  return { clock, informers, lines, stop, check: informersCheck(informers) };
}

const answer = (code: number, retryAfterMs?: number) => (path: string) =>
  new ApiError({ method: 'GET', path }, code, `answer ${code}`, undefined, retryAfterMs);

describe('the check of informers', () => {
  it('fails until the last kind has its content, and names that kind', async () => {
    const { clock, check, informers, stop } = setUp(2, answer(429, 1_000));
    await clock.advance(10);
    expect(informers[0]?.hasSynced()).toBe(true);
    expect(check()).toEqual({ isOk: false, reason: 'not synced yet: Slow: failing: answer 429' });
    await clock.advance(1_500);
    expect(check()).toEqual({ isOk: true });
    stop.abort();
  });

  it('passes for a kind that is not installed, which is logged once and not as a warning', async () => {
    const { clock, check, lines, stop } = setUp(Number.POSITIVE_INFINITY, answer(404));
    await clock.advance(10);
    expect(check()).toEqual({ isOk: true });
    await clock.advance(3_600_000);
    expect(lines).toEqual(['info: This API is not installed, what needs it is off until it is']);
    stop.abort();
  });

  it('passes during an outage after the first content', async () => {
    const { clock, check, stop } = setUp(0, answer(500));
    await clock.advance(10);
    stop.abort();
    expect(check()).toEqual({ isOk: true });
  });
});
