import type { Pod } from '@manta/api';
import type { ObjectState } from './object-state.ts';

/** A pod's state as `kubectl get pods` says it. */
export function podState({ metadata, status }: Pod): ObjectState {
  if (metadata?.deletionTimestamp !== undefined) return { word: 'Terminating', tone: 'idle' };
  const states = status?.containerStatuses?.map(({ state }) => state) ?? [];
  const ended = states.find((state) => (state?.terminated?.exitCode ?? 0) !== 0)?.terminated;
  if (ended !== undefined) return { word: ended.reason ?? `Exit ${ended.exitCode}`, tone: 'bad' };
  const waiting = states.find((state) => state?.waiting?.reason !== undefined)?.waiting?.reason;
  if (waiting === 'ContainerCreating' || waiting === 'PodInitializing') return { word: 'Starting', tone: 'run' };
  if (waiting !== undefined) return { word: waiting, tone: 'bad' };
  if (isTrue(status, 'Ready')) return { word: 'Ready', tone: 'ok' };
  if (status?.phase === 'Failed') return { word: status.reason ?? 'Failed', tone: 'bad' };
  if (status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable') === true)
    return { word: 'No node', tone: 'warn' };
  return { word: status?.phase ?? 'Pending', tone: status?.phase === 'Running' ? 'run' : 'warn' };
}

/** Before its container has started, a pod has no log. */
export function hasLog({ status }: Pod): boolean {
  return (
    status?.containerStatuses?.some(({ state, restartCount }) => state?.waiting === undefined || restartCount > 0) ===
    true
  );
}

function isTrue(status: Pod['status'], wanted: string): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') === true;
}
