import { desiredWorkerPods, NodeType } from '@manta/api';
import type { PodRecord } from './observed.ts';
import type { Subject } from './subject.ts';

/** Every pod that the spec asks for exists and runs, the head among them, and no other does. Who is going does not count as running. */
export function areAllPodsThere({ pods, spec }: Subject): boolean {
  const hasHead = pods.some(({ nodeType }) => nodeType === NodeType.Head);
  return hasHead && pods.length === desiredWorkerPods(spec) + 1 && pods.every(isRunning);
}

/** Runs, stays, and does not say that it is unready. */
function isRunning({ phase, ready, isTerminating }: PodRecord): boolean {
  return !isTerminating && phase === 'Running' && (ready === undefined || ready === 'True');
}

/** Workers that could take work now; one that is going does not count. */
export function readyWorkers(pods: readonly PodRecord[]): number {
  return workers(pods).filter(
    ({ phase, ready, isTerminating }) => phase === 'Running' && ready === 'True' && !isTerminating,
  ).length;
}

/** Workers whose containers run. */
export function availableWorkers(pods: readonly PodRecord[]): number {
  return workers(pods).filter(({ phase }) => phase === 'Running').length;
}

function workers(pods: readonly PodRecord[]): readonly PodRecord[] {
  return pods.filter(({ nodeType }) => nodeType === NodeType.Worker);
}
