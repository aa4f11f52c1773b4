import { describe, expect, it } from 'vitest';
import { FakeSandbox } from './testing/fake-sandbox.ts';
import { isPodOver, NEW_POD, nextPodState, type PodEvent, type PodState } from './pod-transition.ts';

const sandbox = new FakeSandbox();
const end = { reason: 'Evicted', message: 'too much' } as const;
const created: PodEvent = { type: 'sandbox created', sandbox };
const evicted: PodEvent = { type: 'ended by the kubelet', end, stopByMs: 6000 };
const finished: PodEvent = { type: 'finished' };
const deleted = (graceSeconds: number, nowMs = 5000): PodEvent => ({ type: 'stop requested', nowMs, graceSeconds });

const after = (...events: readonly PodEvent[]): PodState => events.reduce(nextPodState, NEW_POD);

describe('a pod', () => {
  it('forgets why it could not be started once it could', () => {
    expect(after({ type: 'failed to start', problem: 'no room' })).toMatchObject({
      phase: 'active',
      problem: 'no room',
    });
    expect(after({ type: 'failed to start', problem: 'no room' }, created).problem).toBeUndefined();
  });

  it('keeps its sandbox, for its address, and why it ended when it is over', () => {
    expect(after(created, evicted, finished)).toMatchObject({ phase: 'over', sandbox, end });
  });

  it.each<[when: string, state: PodState]>([
    ['it is over', after(created, finished)],
    ['it is being deleted', after(created, deleted(30))],
    ['the kubelet ends it already', after(created, evicted)],
  ])('is not ended by the kubelet when %s', (_, state) => {
    expect(nextPodState(state, { ...evicted, stopByMs: 1 })).toBe(state);
  });

  it.each<[promise: string, events: readonly PodEvent[], stopByMs: number, isForced: boolean]>([
    ['has its grace period from the deletion', [deleted(30)], 35_000, false],
    ['keeps the shorter of two grace periods', [deleted(30), deleted(60, 6000)], 35_000, false],
    ['takes a shorter one', [deleted(30), deleted(1, 6000)], 7000, false],
    ['stays forced', [deleted(0), deleted(30, 6000)], 5000, true],
    ['keeps the end that the kubelet set before', [evicted, deleted(30)], 6000, false],
  ])('that is deleted %s', (_, events, stopByMs, isForced) => {
    expect(after(created, ...events)).toMatchObject({ phase: 'stopping', stopByMs, isForced });
  });

  it('is over when it finished before or during its deletion', () => {
    const states = [
      after(created, deleted(30)),
      after(created, finished, deleted(30)),
      after(created, deleted(30), finished),
    ];
    expect(states.map(isPodOver)).toEqual([false, true, true]);
  });
});
