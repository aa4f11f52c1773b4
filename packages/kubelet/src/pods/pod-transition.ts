import type { Sandbox } from '../sandbox/sandbox.ts';
import type { PodEnd } from './pod-status.ts';

/** What holds in every phase. */
interface Known {
  /** Absent until the sandbox is created. Kept after it is destroyed: the status still reports its address. */
  readonly sandbox?: Sandbox;
  /** Why the pod could not be started, as its status says; absent once it could. */
  readonly problem?: string | undefined;
  /** Why the kubelet ended it; absent: the kubelet did not. */
  readonly end?: PodEnd;
  /** When its containers must have ended. */
  readonly stopByMs: number;
}

/**
 * What the kubelet knows of one pod. `active`: it is being started, or its containers run. `ending`: the kubelet ends it because of `end`, and
 * its object stays. `over`: nothing runs any more, its sandbox is destroyed, its output is kept. `stopping`: it was deleted, and everything of
 * it goes; a pod that was over before stays so.
 */
export type PodState =
  | (Known & { readonly phase: 'active' })
  | (Known & { readonly phase: 'ending'; readonly end: PodEnd })
  | (Known & { readonly phase: 'over' })
  | (Known & { readonly phase: 'stopping'; readonly isForced: boolean; readonly isOver: boolean });

/** What can happen to a pod. */
export type PodEvent =
  | { readonly type: 'failed to start'; readonly problem: string }
  | { readonly type: 'sandbox created'; readonly sandbox: Sandbox }
  /** Its deadline has passed, or it uses too much. */
  | { readonly type: 'ended by the kubelet'; readonly end: PodEnd; readonly stopByMs: number }
  /** All of its containers have ended for good. */
  | { readonly type: 'finished' }
  /** It was deleted. Asked again, only a shorter grace period changes something. */
  | { readonly type: 'stop requested'; readonly nowMs: number; readonly graceSeconds: number };

export const NEW_POD: PodState = { phase: 'active', stopByMs: Number.POSITIVE_INFINITY };

/** The state after an event; the same object where the event changes nothing. */
export function nextPodState(state: PodState, event: PodEvent): PodState {
  switch (event.type) {
    case 'failed to start':
      return { ...state, problem: event.problem };
    case 'sandbox created':
      return { ...state, sandbox: event.sandbox, problem: undefined };
    case 'ended by the kubelet':
      if (state.phase !== 'active') return state;
      return { ...state, phase: 'ending', end: event.end, stopByMs: event.stopByMs };
    case 'finished':
      return state.phase === 'stopping' ? { ...state, isOver: true } : { ...state, phase: 'over' };
    case 'stop requested': {
      const { nowMs, graceSeconds } = event;
      const isForced = graceSeconds <= 0 || (state.phase === 'stopping' && state.isForced);
      const isOver = isPodOver(state);
      const stopByMs = Math.min(state.stopByMs, nowMs + graceSeconds * 1000);
      return { ...state, phase: 'stopping', isForced, isOver, stopByMs };
    }
  }
}

/** Whether nothing will run in its sandbox any more. */
export function isPodOver(state: PodState): boolean {
  return state.phase === 'over' || (state.phase === 'stopping' && state.isOver);
}
