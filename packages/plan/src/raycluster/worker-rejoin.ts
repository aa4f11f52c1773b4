import { type Condition, type ConditionVerdict, RayClusterConditionReason, RayClusterConditionType } from '@manta/api';
import type { Action } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import type { ObservedRayCluster, PodRecord } from './observed.ts';
import { aliveRayWorkers, headsOf, runningWorkers } from './pods.ts';
import { deleteWorker } from './worker-pods.ts';

/** How long a worker may take to join a newer head, from the first answer of that head. */
export const REJOIN_MS = 60_000;

const { WorkersRejoined } = RayClusterConditionType;

/** Whether the workers have joined a head that is newer than they are. */
export type Rejoin =
  /** No worker is older than the head, or Ray has not answered. */
  | { readonly kind: 'unconcerned' }
  /** The condition is about an earlier head. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'joined'; readonly joined: number; readonly replaced: boolean }
  | {
      readonly kind: 'missing';
      readonly joined: number;
      readonly missing: readonly PodRecord[];
      readonly head: PodRecord;
      readonly deadline: number;
      /** Whether the wait starts now; else the condition's transition time is its start. */
      readonly isNew: boolean;
    };

/** Workers that are older than the head and not known to have joined it. */
export function workersToRejoin(
  { cluster, pods }: Pick<ObservedRayCluster, 'cluster' | 'pods'>,
  head: PodRecord,
): readonly PodRecord[] {
  const known = conditionOf(cluster.status?.conditions, head);
  if (known?.status === 'True') return [];
  return runningWorkers(pods).filter(({ createdAt }) => createdAt < head.createdAt);
}

export function rejoinOf(state: ClusterState): Rejoin {
  const { pods, now, rayNodes, cluster } = state;
  const staying = headsOf(pods).filter(({ isTerminating }) => !isTerminating);
  const [head] = staying;
  if (head === undefined || staying.length > 1) return { kind: 'unconcerned' };
  const all = cluster.status?.conditions;
  const known = conditionOf(all, head);
  const older = workersToRejoin(state, head);
  if (older.length === 0) {
    return known?.status === 'False' ? { kind: 'joined', joined: 0, replaced: true } : { kind: 'unconcerned' };
  }
  const nodes = rayNodes.get(head.uid);
  if (nodes === undefined) {
    const isOutdated = known === undefined && all?.some(({ type }) => type === WorkersRejoined) === true;
    return { kind: isOutdated ? 'outdated' : 'unconcerned' };
  }
  const living = aliveRayWorkers(nodes);
  const missing = older.filter(({ podIP }) => !living.has(podIP));
  const joined = older.length - missing.length;
  if (missing.length === 0) return { kind: 'joined', joined, replaced: false };
  const isNew = known?.status !== 'False';
  const since = isNew ? now : Date.parse(known.lastTransitionTime);
  return { kind: 'missing', joined, missing, head, deadline: since + REJOIN_MS, isNew };
}

/** Replaces the workers that have not joined the new head in time. */
export function replaceLostWorkers(state: ClusterState): readonly Action[] {
  const rejoin = rejoinOf(state);
  if (rejoin.kind !== 'missing') return [];
  if (rejoin.deadline > state.now) return [];
  const why = `which did not join head Pod ${fullName(state, rejoin.head.name)} in time`;
  return rejoin.missing.flatMap((pod) => deleteWorker(state, pod, `worker Pod ${fullName(state, pod.name)}, ${why}`));
}

/** When the deadline of workers that have not joined ends; undefined when there are none. */
export function rejoinRequeueMs(state: ClusterState): number | undefined {
  const rejoin = rejoinOf(state);
  return rejoin.kind === 'missing' ? Math.max(0, rejoin.deadline - state.now) : undefined;
}

/** Sets the WorkersRejoined condition; the transition time of an earlier head's condition does not count. */
export function withRejoin(
  state: ClusterState,
  conditions: readonly Condition[],
  set: (conditions: readonly Condition[], type: string, verdict: ConditionVerdict) => readonly Condition[],
): readonly Condition[] {
  const rejoin = rejoinOf(state);
  const Reason = RayClusterConditionReason;
  switch (rejoin.kind) {
    case 'unconcerned':
      return conditions;
    case 'outdated':
      return set(conditions, WorkersRejoined, {
        status: 'Unknown',
        reason: Reason.HeadPodReplaced,
        message: 'The head Pod was replaced, and Ray has not answered yet',
      });
    case 'joined':
      return set(conditions, WorkersRejoined, {
        status: 'True',
        reason: rejoin.replaced ? Reason.WorkersReplaced : Reason.AllWorkersRejoined,
        message: rejoin.replaced
          ? 'The workers that did not join the new head Pod were replaced'
          : `${rejoin.joined} of ${rejoin.joined} workers have joined the new head Pod`,
      });
    case 'missing': {
      const total = rejoin.joined + rejoin.missing.length;
      const earlier = rejoin.isNew ? conditions.filter(({ type }) => type !== WorkersRejoined) : conditions;
      return set(earlier, WorkersRejoined, {
        status: 'False',
        reason: Reason.WorkersNotRejoined,
        message: `${rejoin.joined} of ${total} workers have joined the new head Pod ${rejoin.head.name}`,
      });
    }
  }
}

/** The condition, if it is about this head. */
function conditionOf(conditions: readonly Condition[] | undefined, head: PodRecord): Condition | undefined {
  return conditions?.find(
    ({ type, lastTransitionTime }) => type === WorkersRejoined && Date.parse(lastTransitionTime) >= head.createdAt,
  );
}
