import { desiredWorkerPods, NodeType } from '@manta/api';
import type { ClusterState } from './cluster-state.ts';
import type { PodRecord, RayNodeRecord } from './observed.ts';

/** The head pods of a cluster, the one that counts first: pods that are not being deleted before those that are, then the oldest. */
export function headsOf(pods: readonly PodRecord[]): readonly PodRecord[] {
  return pods.filter(({ nodeType }) => nodeType === NodeType.Head).toSorted(byStanding);
}

function byStanding(a: PodRecord, b: PodRecord): number {
  const terminating = Number(a.isTerminating) - Number(b.isTerminating);
  return terminating || a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1);
}

/** Whether exactly the pods that the spec asks for exist and run. A pod that is being deleted does not count as running. */
export function areAllPodsRunning({ pods, spec }: ClusterState): boolean {
  const hasHead = pods.some(({ nodeType }) => nodeType === NodeType.Head);
  return hasHead && pods.length === desiredWorkerPods(spec) + 1 && pods.every(isRunning);
}

/** Runs, stays, and does not report that it is unready. */
function isRunning({ phase, ready, isTerminating }: PodRecord): boolean {
  return !isTerminating && phase === 'Running' && (ready === undefined || ready === 'True');
}

/** Number of workers that are ready and not being deleted. */
export function readyWorkers(pods: readonly PodRecord[]): number {
  return workersOf(pods).filter(
    ({ phase, ready, isTerminating }) => phase === 'Running' && ready === 'True' && !isTerminating,
  ).length;
}

/** Number of workers whose containers run. */
export function availableWorkers(pods: readonly PodRecord[]): number {
  return workersOf(pods).filter(({ phase }) => phase === 'Running').length;
}

/** Workers that run, have an address and are not being deleted. */
export function runningWorkers(pods: readonly PodRecord[]): readonly PodRecord[] {
  return workersOf(pods).filter(
    ({ phase, isTerminating, podIP }) => phase === 'Running' && !isTerminating && podIP !== '',
  );
}

function workersOf(pods: readonly PodRecord[]): readonly PodRecord[] {
  return pods.filter(({ nodeType }) => nodeType === NodeType.Worker);
}

/** Addresses of the workers that Ray's list of nodes calls alive. */
export function aliveRayWorkers(nodes: readonly RayNodeRecord[]): ReadonlySet<string> {
  return new Set(nodes.filter(({ isAlive, isHead, ip }) => isAlive && !isHead && ip !== '').map(({ ip }) => ip));
}
