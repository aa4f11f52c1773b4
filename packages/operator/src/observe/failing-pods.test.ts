import type { PodRecord } from '@manta/plan';
import type { Informer, InformerChange } from '@manta/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { FailingPods } from './failing-pods.ts';

const RULE = { deletesByRestartPolicy: false };
let change: (change: Pick<InformerChange<PodRecord>, 'before' | 'after'>) => void;
let failing: FailingPods;
let now: number;

beforeEach(() => {
  now = 1_000_000;
  const pods = { onChange: (listener: typeof change) => void (change = listener) };
  failing = new FailingPods(pods as unknown as Informer<PodRecord, 'cluster'>, () => now, RULE);
});

const pod = (fields: Partial<PodRecord> = {}) =>
  ({
    namespace: 'ml',
    cluster: 'demo',
    group: 'small',
    node: '',
    phase: 'Failed',
    createdAt: now - 100,
    ...fields,
  }) as PodRecord;
/** One after the other, each made after the one before had failed. */
function fail(times: number, fields: Partial<PodRecord> = {}): void {
  for (let i = 0; i < times; i += 1) {
    now += 1_000;
    change({ before: pod({ ...fields, phase: 'Running' }), after: pod(fields) });
  }
}

describe('pods that fail again and again', () => {
  it('cost nothing the first three times, then wait twice as long each time, up to five minutes', () => {
    fail(3);
    expect(failing.held('ml/demo', 'small')).toBeUndefined();
    fail(1);
    expect(failing.held('ml/demo', 'small')).toEqual({ places: 1, until: now + 10_000 });
    now += 10_000;
    expect(failing.held('ml/demo', 'small')).toBeUndefined();
    fail(1);
    expect(failing.held('ml/demo', 'small')).toEqual({ places: 1, until: now + 20_000 });
    now += 20_000;
    fail(20);
    now += 299_999;
    expect(failing.held('ml/demo', 'small')?.places).toBe(1);
  });

  it('count once when they go down together', () => {
    const createdAt = now;
    for (let i = 0; i < 500; i += 1) {
      now += 10;
      change({ before: pod({ phase: 'Running', createdAt }), after: pod({ createdAt }) });
    }
    expect(failing.held('ml/demo', 'small')).toBeUndefined();
  });

  it('count even if they fail within the second in which they were made', () => {
    for (let i = 0; i < 20; i += 1) {
      now += 500;
      change({ after: pod({ createdAt: Math.floor(now / 1000) * 1000 }) });
    }
    expect(failing.held('ml/demo', 'small')).toBeDefined();
  });

  it('hold up nobody else', () => {
    fail(5);
    expect(failing.held('ml/demo', 'big')).toBeUndefined();
    expect(failing.held('ml/other', 'small')).toBeUndefined();
  });

  it('of several clusters on one node are held up by that node', () => {
    for (const cluster of ['a', 'b', 'c', 'd']) fail(1, { cluster, node: 'bad' });
    expect(failing.held('ml/d', 'small')?.places).toBe(1);
    expect(failing.held('ml/c', 'small')).toBeUndefined();
  });

  it('are forgotten after a quarter of an hour', () => {
    fail(4);
    now += 900_001;
    fail(1);
    expect(failing.held('ml/demo', 'small')).toBeUndefined();
  });

  it('are no others than those that have ended: one that changes, restarts or is deleted does not count', () => {
    for (let i = 0; i < 10; i += 1) {
      now += 1_000;
      change({ before: pod(), after: pod({ ready: 'False' }) });
      change({ before: pod({ phase: 'Running' }), after: pod({ phase: 'Pending' }) });
      change({ before: pod() });
    }
    expect(failing.held('ml/demo', 'small')).toBeUndefined();
  });
});
