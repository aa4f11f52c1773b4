import { describe, expect, it } from 'vitest';
import {
  type ContainerEvent,
  type ContainerState,
  letsNextBegin,
  newContainer,
  nextContainerState,
} from './container-transition.ts';

const waiting = newContainer('ContainerCreating');
const runs: ContainerEvent = { type: 'runs', startMs: 1000, hasStartupProbe: true };
const crash: ContainerEvent = { type: 'ended', run: { code: 1, startMs: 1000, endMs: 2000 } };
const restart: ContainerEvent = { type: 'will restart' };
const backOff: ContainerEvent = { type: 'waits', reason: 'CrashLoopBackOff', message: 'back-off 10s' };
const stopped: ContainerEvent = { type: 'stopped', nowMs: 9000 };

const after = (...events: readonly ContainerEvent[]): ContainerState => events.reduce(nextContainerState, waiting);

describe('a container', () => {
  it.each<[promise: string, events: readonly ContainerEvent[], expected: ContainerState]>([
    [
      'is not ready and not started when its process begins',
      [runs],
      { attempt: 0, moment: { state: 'running', startMs: 1000, isReady: false, isStarted: false } },
    ],
    [
      'is started at once without a startup probe',
      [{ ...runs, hasStartupProbe: false }],
      { attempt: 0, moment: { state: 'running', startMs: 1000, isReady: false, isStarted: true } },
    ],
    [
      'becomes started and ready by its probes',
      [runs, { type: 'startup probe succeeded' }, { type: 'readiness changed', isReady: true }],
      { attempt: 0, moment: { state: 'running', startMs: 1000, isReady: true, isStarted: true } },
    ],
    [
      'remembers the run before when it restarts, and shows it until the next begins',
      [runs, crash, restart],
      {
        attempt: 1,
        moment: { state: 'ended', code: 1, startMs: 1000, endMs: 2000 },
        last: { code: 1, startMs: 1000, endMs: 2000 },
      },
    ],
    [
      'that is stopped during its back-off has ended as its last run did',
      [runs, crash, restart, backOff, stopped],
      {
        attempt: 0,
        moment: { state: 'ended', code: 1, startMs: 1000, endMs: 2000 },
        last: { code: 1, startMs: 1000, endMs: 2000 },
      },
    ],
    [
      'that is stopped before its first run is unknown',
      [stopped],
      {
        attempt: 0,
        moment: {
          state: 'ended',
          code: 137,
          reason: 'ContainerStatusUnknown',
          message: 'The container could not be located when the pod was terminated',
          endMs: 9000,
        },
      },
    ],
  ])('%s', (_, events, expected) => {
    expect(after(...events)).toEqual(expected);
  });

  it.each<[event: string, state: ContainerState, event: ContainerEvent]>([
    ['a probe of a run that has ended', after(runs, crash), { type: 'readiness changed', isReady: true }],
    ['the same readiness again', after(runs), { type: 'readiness changed', isReady: false }],
    [
      'a startup probe that succeeds twice',
      after({ ...runs, hasStartupProbe: false }),
      { type: 'startup probe succeeded' },
    ],
    ['a stop while it runs, which ends by itself', after(runs), stopped],
    ['a restart while it runs', after(runs), restart],
  ])('is not changed by %s', (_, state, event) => {
    expect(nextContainerState(state, event)).toBe(state);
  });

  it('lets the next container begin when it runs, has ended or its image cannot be had', () => {
    const noImage = after({ type: 'waits', reason: 'ErrImagePull' });
    expect([waiting, after(runs), after(runs, crash), noImage].map(letsNextBegin)).toEqual([false, true, true, true]);
  });
});
