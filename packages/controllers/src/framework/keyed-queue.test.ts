import { FakeClock } from '@manta/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequeueAfter } from './controller.ts';
import { KeyedQueue } from './keyed-queue.ts';

const setUp = (work: (key: string, call: number) => Promise<RequeueAfter | undefined>) => {
  const clock = new FakeClock(0);
  const log: string[] = [];
  const errors: string[] = [];
  let calls = 0;
  const queue = new KeyedQueue(
    clock,
    async (key) => {
      calls += 1;
      log.push(`${key}@${clock.now()}`);
      return await work(key, calls);
    },
    (key) => errors.push(key),
  );
  return { clock, queue, log, errors };
};
const nothing = async () => undefined;

describe('a queue of keys', () => {
  it('works on a key once, however often it was added, and never inside add', async () => {
    const { clock, queue, log } = setUp(nothing);
    for (const key of ['a', 'b', 'a']) queue.add(key);
    expect(log).toEqual([]);
    await clock.advance(0);
    expect(log).toEqual(['a@0', 'b@0']);
  });

  it('works on a key again that was added while it was worked on', async () => {
    const { clock, queue, log } = setUp(async (key, call) => {
      if (call === 1) queue.add(key);
      return undefined;
    });
    queue.add('a');
    await clock.advance(0);
    expect(log).toEqual(['a@0', 'a@0']);
  });

  it('comes back after as long as the work asked for', async () => {
    const { clock, queue, log } = setUp(async (_, call) => (call === 1 ? { afterMs: 1000 } : undefined));
    queue.add('a');
    await clock.advance(5000);
    expect(log).toEqual(['a@0', 'a@1000']);
  });

  it('keeps the earlier of two times to come back', async () => {
    const { clock, queue, log } = setUp(nothing);
    queue.addAfter('a', 300);
    queue.addAfter('a', 100);
    queue.addAfter('a', 200);
    await clock.advance(1000);
    expect(log).toEqual(['a@100']);
  });

  it('tries failed work again, later each time, a minute at most, and forgets failures on success', async () => {
    const { clock, queue, log, errors } = setUp(async (_, call) => {
      if (call !== 4) throw new Error('no');
      return undefined;
    });
    queue.add('a');
    await clock.advance(100);
    expect(log).toEqual(['a@0', 'a@5', 'a@15', 'a@35']);
    expect(errors).toEqual(['a', 'a', 'a']);
    queue.add('a');
    await clock.advance(10);
    expect(log.slice(4)).toEqual(['a@100', 'a@105']);
    await clock.advance(3_600_000);
    const [before = '', last = ''] = log.slice(-2).map((entry) => entry.split('@')[1]);
    expect(Number(last) - Number(before)).toBe(60_000);
  });

  it('does not let one failing key stop the others', async () => {
    const { clock, queue, log } = setUp(async (key) => {
      if (key === 'bad') throw new Error('no');
      return undefined;
    });
    queue.add('bad');
    queue.add('good');
    await clock.advance(0);
    expect(log).toEqual(['bad@0', 'good@0']);
  });

  it('does nothing more once it is stopped', async () => {
    const { clock, queue, log } = setUp(async () => ({ afterMs: 10 }));
    queue.add('a');
    await clock.advance(0);
    queue.add('b');
    queue.stop();
    queue.add('c');
    await clock.advance(1000);
    expect(log).toEqual(['a@0']);
    expect(clock.pending).toBe(0);
  });

  it('works on every key that was added, after its last addition', async () => {
    const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 50 })), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const { clock, queue, log } = setUp(nothing);
        const added = new Map<string, number>();
        for (const step of sequence) {
          if (typeof step === 'number') await clock.advance(step);
          else {
            queue.add(step);
            added.set(step, clock.now());
          }
        }
        await clock.advance(0);
        const worked = new Map(log.map((entry) => entry.split('@') as [string, string]));
        expect(new Map([...worked].map(([key, at]) => [key, Number(at)]))).toEqual(added);
      }),
      { numRuns: 30 },
    );
  });
});
