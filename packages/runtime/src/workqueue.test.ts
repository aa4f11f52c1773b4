import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMetricsRegistry } from './metrics/registry.ts';
import { PRIORITY } from './priority-lanes.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { WorkQueue } from './workqueue.ts';
import { observeWorkQueue } from './workqueue-metrics.ts';

function setUp() {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue({ clock }) };
}

/** What can be taken right now, each key finished at once. */
async function drain(queue: WorkQueue): Promise<readonly string[]> {
  const keys: string[] = [];
  while (queue.size > 0) {
    const key = (await queue.take()) ?? '';
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

describe('WorkQueue', () => {
  it('lets no key wait longer because the clock was set back', async () => {
    const clock = new FakeClock();
    let aheadMs = 0;
    const queue = new WorkQueue({
      clock: { now: () => clock.now() + aheadMs, setTimer: (delayMs, run) => clock.setTimer(delayMs, run) },
    });
    queue.addAfter('a', 5000);
    queue.addAfter('b', 9000);
    await clock.advance(1000);
    aheadMs = -3_600_000;
    queue.addAfter('c', 1000);
    await clock.advance(11_000);
    expect((await drain(queue)).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('hands out a key once, however often it was added', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect(await drain(queue)).toEqual(['a', 'b']);
  });

  it('hands out a key again, after the work on it, when it was added meanwhile', async () => {
    const { queue } = setUp();
    queue.add('a');
    expect(await queue.take()).toBe('a');
    queue.add('a');
    queue.add('b');
    expect(await drain(queue)).toEqual(['b']);
    queue.done('a');
    expect(await drain(queue)).toEqual(['a']);
  });

  it('keeps the earliest of several delays', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 900);
    await clock.advance(99);
    expect(queue.size).toBe(0);
    await clock.advance(1);
    expect(await drain(queue)).toEqual(['a']);
    await clock.advance(1000);
    expect(queue.size).toBe(0);
  });

  it('sleeps through delays that are longer than any timer', async () => {
    const { clock, queue } = setUp();
    const days = 24 * 3600 * 1000;
    queue.addAfter('a', 60 * days);
    await clock.advance(59 * days);
    expect(queue.size).toBe(0);
    await clock.advance(1 * days);
    expect(await drain(queue)).toEqual(['a']);
  });

  it('waits twice as long after each failure of a key, from 5 ms to 1000 s, until it is forgotten', () => {
    const { queue } = setUp();
    const delays = Array.from({ length: 20 }, () => queue.retry('a'));
    expect(delays.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(delays.at(-1)).toBe(1_000_000);
    expect(queue.failures('a')).toBe(20);
    queue.forget('a');
    expect(queue.retry('a')).toBe(5);
    expect(queue.retry('b')).toBe(5);
  });

  it('lets 100 retries through at once, then ten a second', () => {
    const { queue } = setUp();
    const delays = Array.from({ length: 130 }, (_, n) => queue.retry(`key-${n}`));
    expect(delays.slice(0, 100).every((delay) => delay === 5)).toBe(true);
    expect(delays.slice(100, 103)).toEqual([100, 200, 300]);
    expect(delays.at(-1)).toBe(3000);
  });

  it('prefers urgent keys, in order of arrival, and moves a key up when it becomes urgent', async () => {
    const { queue } = setUp();
    queue.add('low-1', PRIORITY.low);
    queue.add('low-2', PRIORITY.low);
    queue.add('normal');
    queue.add('high', PRIORITY.high);
    queue.add('low-2', PRIORITY.high);
    expect(await drain(queue)).toEqual(['high', 'low-2', 'normal', 'low-1']);
  });

  it('serves a low priority even when urgent keys never run out', async () => {
    const { queue } = setUp();
    queue.add('low', PRIORITY.low);
    queue.add('normal');
    const taken: (string | undefined)[] = [];
    for (let n = 0; n < 30; n += 1) {
      queue.add(`high-${n}`, PRIORITY.high);
      queue.add(`more-${n}`, PRIORITY.high);
      const key = await queue.take();
      taken.push(key);
      queue.done(key ?? '');
    }
    expect(taken).toContain('low');
    expect(taken).toContain('normal');
  });

  it('when shut down, gives workers nothing more and waits for those that are busy', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    await queue.take();
    let isOver = false;
    const over = queue.shutDown({ drain: false }).then(() => {
      isOver = true;
      return isOver;
    });
    expect(await queue.take()).toBeUndefined();
    queue.add('d');
    await clock.advance(100);
    expect([queue.size, isOver]).toEqual([0, false]);
    queue.done('a');
    expect(await over).toBe(true);
  });

  it('when drained, still hands out what is ready, and what was asked for again meanwhile', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('b');
    await queue.take();
    queue.add('a');
    const over = queue.shutDown({ drain: true });
    expect(await drain(queue)).toEqual(['b']);
    queue.done('a');
    expect(await drain(queue)).toEqual(['a']);
    await over;
    expect(await queue.take()).toBeUndefined();
  });

  it('publishes depth, adds, retries and durations under the usual names', async () => {
    const clock = new FakeClock();
    const metrics = createMetricsRegistry();
    const queue = new WorkQueue({ clock, observe: (view) => observeWorkQueue(metrics, 'raycluster', view) });
    queue.add('a');
    queue.add('a');
    queue.add('b', PRIORITY.low);
    queue.retry('c');
    await clock.advance(2);
    await queue.take();
    await clock.advance(1500);
    const text = metrics.text();
    for (const line of [
      'workqueue_adds_total{controller="raycluster",name="raycluster"} 3',
      'workqueue_retries_total{controller="raycluster",name="raycluster"} 1',
      'workqueue_depth{controller="raycluster",name="raycluster",priority="-100"} 1',
      'workqueue_depth{controller="raycluster",name="raycluster",priority="0"} 1',
      'workqueue_unfinished_work_seconds{controller="raycluster",name="raycluster"} 1.5',
      'workqueue_longest_running_processor_seconds{controller="raycluster",name="raycluster"} 1.5',
      'workqueue_queue_duration_seconds_count{controller="raycluster",name="raycluster"} 1',
    ]) {
      expect(text).toContain(line);
    }
  });
});

/** What must hold of a queue, kept in the plainest way: when each key may come at the earliest and must come at the latest. */
class Model {
  readonly dueAt = new Map<string, number>();
  readonly running = new Set<string>();

  add(key: string, at: number): void {
    this.dueAt.set(key, Math.min(at, this.dueAt.get(key) ?? Infinity));
  }

  /** Keys that must be handed out as soon as somebody asks. */
  ready(now: number): readonly string[] {
    return [...this.dueAt].filter(([key, at]) => at <= now && !this.running.has(key)).map(([key]) => key);
  }
}

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const priorities = fc.constantFrom(PRIORITY.low, PRIORITY.normal, PRIORITY.high);
const steps = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key: keys, priority: priorities }),
  fc.record({
    do: fc.constant('addAfter' as const),
    key: keys,
    delayMs: fc.integer({ min: 0, max: 40 }),
    priority: priorities,
  }),
  fc.record({ do: fc.constant('retry' as const), key: keys }),
  fc.record({ do: fc.constant('forget' as const), key: keys }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), pick: fc.nat() }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 30 }) }),
);

describe('any series of adds, delays, retries, takes and ends', () => {
  it('never runs a key twice at once, loses nothing, hands out nothing early, and nothing twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (series) => {
        const { clock, queue } = setUp();
        const model = new Model();
        const took = (key: string | undefined) => {
          const now = clock.now();
          expect(model.running).not.toContain(key);
          expect(model.dueAt.get(key ?? '') ?? Infinity).toBeLessThanOrEqual(now);
          model.dueAt.delete(key ?? '');
          model.running.add(key ?? '');
        };
        for (const step of series) {
          switch (step.do) {
            case 'add':
              queue.add(step.key, step.priority);
              model.add(step.key, clock.now());
              break;
            case 'addAfter':
              queue.addAfter(step.key, step.delayMs, step.priority);
              model.add(step.key, clock.now() + step.delayMs);
              break;
            case 'retry':
              model.add(step.key, clock.now() + queue.retry(step.key));
              break;
            case 'forget':
              queue.forget(step.key);
              break;
            case 'take':
              if (queue.size > 0) took(await queue.take());
              break;
            case 'done': {
              const key = [...model.running][step.pick % Math.max(1, model.running.size)];
              if (key !== undefined) {
                model.running.delete(key);
                queue.done(key);
              }
              break;
            }
            default:
              await clock.advance(step.ms);
          }
          expect(queue.size).toBe(model.ready(clock.now()).length);
        }
        for (const key of model.running) {
          model.running.delete(key);
          queue.done(key);
        }
        await clock.advance(2_000_000);
        while (queue.size > 0) took(await queue.take());
        expect([...model.dueAt]).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('gives every key to some worker when several wait at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(keys, { maxLength: 20 }), fc.integer({ min: 1, max: 6 }), async (added, workers) => {
        const { clock, queue } = setUp();
        const running = new Set<string>();
        const seen = new Set<string>();
        const work = async () => {
          for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
            expect(running).not.toContain(key);
            running.add(key);
            seen.add(key);
            await Promise.resolve();
            running.delete(key);
            queue.done(key);
          }
        };
        const all = Array.from({ length: workers }, work);
        for (const key of added) queue.add(key);
        await clock.settle();
        await queue.shutDown({ drain: true });
        await Promise.all(all);
        expect([...seen].toSorted()).toEqual([...new Set(added)].toSorted());
      }),
      { numRuns: 50 },
    );
  });
});
