import type { ContainerMoment, Ended } from './container-state.ts';

/** What the kubelet knows of one container: its present run, and how the run before it ended. */
export interface ContainerState {
  /** 0 for the first run, counted up with every restart. */
  readonly attempt: number;
  readonly moment: ContainerMoment;
  /** Absent: there was no run before the present one. */
  readonly last?: Ended | undefined;
}

/** What can happen to a container. */
export type ContainerEvent =
  /** It cannot run yet: its image, its configuration or its back-off. */
  | { readonly type: 'waits'; readonly reason: string; readonly message?: string }
  /** Its process runs and its postStart hook is done. */
  | { readonly type: 'runs'; readonly startMs: number; readonly hasStartupProbe: boolean }
  | { readonly type: 'startup probe succeeded' }
  | { readonly type: 'readiness changed'; readonly isReady: boolean }
  | { readonly type: 'ended'; readonly run: Ended }
  /** Its restart policy asks for another run. */
  | { readonly type: 'will restart' }
  /** It is stopped for good. A running container still has to end; a waiting one never starts. */
  | { readonly type: 'stopped'; readonly nowMs: number };

/** What a kubelet reports of a container that has not run when its pod ends. */
const NEVER_RAN = {
  code: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
} as const;

/** The state before anything happened. */
export function newContainer(waitingFor: string): ContainerState {
  return { attempt: 0, moment: { state: 'waiting', reason: waitingFor } };
}

/** The state after an event; the same object where the event changes nothing. */
export function nextContainerState(state: ContainerState, event: ContainerEvent): ContainerState {
  const { attempt, moment, last } = state;
  switch (event.type) {
    case 'waits': {
      const { reason, message } = event;
      return { ...state, moment: { state: 'waiting', reason, ...(message === undefined ? {} : { message }) } };
    }
    case 'runs': {
      const { startMs, hasStartupProbe } = event;
      return { ...state, moment: { state: 'running', startMs, isReady: false, isStarted: !hasStartupProbe } };
    }
    case 'startup probe succeeded':
      if (moment.state !== 'running' || moment.isStarted === true) return state;
      return { ...state, moment: { ...moment, isStarted: true } };
    case 'readiness changed':
      if (moment.state !== 'running' || moment.isReady === event.isReady) return state;
      return { ...state, moment: { ...moment, isReady: event.isReady } };
    case 'ended':
      return { ...state, moment: { state: 'ended', ...event.run } };
    case 'will restart': {
      if (moment.state !== 'ended') return state;
      const { state: _, ...run } = moment;
      return { attempt: attempt + 1, moment, last: run };
    }
    case 'stopped':
      if (moment.state !== 'waiting') return state;
      // It ended as its last run did: the attempt that waits never happens.
      if (last !== undefined) return { attempt: attempt - 1, moment: { state: 'ended', ...last }, last };
      return { ...state, moment: { state: 'ended', ...NEVER_RAN, endMs: event.nowMs } };
  }
}

/** Whether the pod's next container may begin: this one has begun, or its image cannot be had for now. */
export function letsNextBegin({ moment }: ContainerState): boolean {
  return moment.state !== 'waiting' || moment.reason.startsWith('Err');
}
