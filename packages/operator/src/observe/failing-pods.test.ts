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
    owner: 'demo',
    nodeType: 'worker',
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
    expect(failing.held('demo', 'small')).toBeUndefined();
    fail(1);
    expect(failing.held('demo', 'small')).toEqual({ places: 1, until: now + 10_000 });
    now += 10_000;
    expect(failing.held('demo', 'small')).toBeUndefined();
    fail(1);
    expect(failing.held('demo', 'small')).toEqual({ places: 1, until: now + 20_000 });
    now += 20_000;
    fail(20);
    now += 299_999;
    expect(failing.held('demo', 'small')?.places).toBe(1);
  });

  it('count once when they go down together', () => {
    const createdAt = now;
    for (let i = 0; i < 500; i += 1) {
      now += 10;
      change({ before: pod({ phase: 'Running', createdAt }), after: pod({ createdAt }) });
    }
    expect(failing.held('demo', 'small')).toBeUndefined();
  });

  it('count even if they fail within the second in which they were made', () => {
    for (let i = 0; i < 20; i += 1) {
      now += 500;
      change({ after: pod({ createdAt: Math.floor(now / 1000) * 1000 }) });
    }
    expect(failing.held('demo', 'small')).toBeDefined();
  });

  it('hold up nobody else', () => {
    fail(5);
    expect(failing.held('demo', 'big')).toBeUndefined();
    expect(failing.held('other', 'small')).toBeUndefined();
  });

  it('of several clusters on one node are held up by that node', () => {
    for (const owner of ['a', 'b', 'c', 'd']) fail(1, { owner, node: 'bad' });
    expect(failing.held('d', 'small')?.places).toBe(1);
    expect(failing.held('c', 'small')).toBeUndefined();
  });

  it('of other clusters on one node do not delay a head', () => {
    for (const owner of ['a', 'b', 'c', 'd', 'e'])
      fail(1, { owner, node: 'bad', nodeType: 'head', group: 'headgroup' });
    for (const owner of ['a', 'b', 'c', 'd', 'e']) expect(failing.held(owner, 'headgroup')).toBeUndefined();
    fail(3, { owner: 'e', node: 'bad', nodeType: 'head', group: 'headgroup' });
    expect(failing.held('e', 'headgroup')?.places).toBe(1);
  });

  it('do not count while they are being deleted: Ray exits with 1 on SIGTERM', () => {
    for (let i = 0; i < 10; i += 1) {
      now += 1_000;
      const going = { isTerminating: true, node: 'n1', rayTerminated: 'exit code 1' };
      change({ before: pod({ ...going, phase: 'Running', rayTerminated: undefined }), after: pod(going) });
      change({ before: pod({ ...going, phase: 'Running', restartPolicy: 'Never' }), after: pod(going) });
    }
    expect(failing.held('demo', 'small')).toBeUndefined();
  });

  it('do not count when Kubernetes takes them from their node', () => {
    fail(10, { isDisrupted: true, node: 'n1' });
    expect(failing.held('demo', 'small')).toBeUndefined();
  });

  it('start afresh in a cluster that was recreated under its name', () => {
    fail(5, { owner: 'first' });
    fail(1, { owner: 'second' });
    expect(failing.held('second', 'small')).toBeUndefined();
  });

  it('start afresh after a pod that worked for ten minutes', () => {
    fail(4);
    now += 650_000;
    change({ before: pod({ phase: 'Running' }), after: pod({ createdAt: now - 640_000 }) });
    expect(failing.held('demo', 'small')).toBeUndefined();
    fail(2);
    expect(failing.held('demo', 'small')).toBeUndefined();
  });

  it('are forgotten after a quarter of an hour', () => {
    fail(4);
    now += 900_001;
    fail(1);
    expect(failing.held('demo', 'small')).toBeUndefined();
  });

  it('are no others than those that have ended: one that changes, restarts or is deleted does not count', () => {
    for (let i = 0; i < 10; i += 1) {
      now += 1_000;
      change({ before: pod(), after: pod({ ready: 'False' }) });
      change({ before: pod({ phase: 'Running' }), after: pod({ phase: 'Pending' }) });
      change({ before: pod() });
    }
    expect(failing.held('demo', 'small')).toBeUndefined();
  });
});
