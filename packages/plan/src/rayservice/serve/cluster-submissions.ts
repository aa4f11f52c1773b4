import type { HeadMemory, ServiceMemory } from '../memory.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';
import type { CapacityGoal } from '../traffic/migration.ts';
import { needsNewCluster } from '../upgrade/next-cluster.ts';
import { planSubmission, type SubmissionPlan } from './submission.ts';

/** The Serve configurations of both clusters; undefined for a cluster that does not exist or is about to be replaced. */
export interface ClusterSubmissions {
  readonly activeSubmission: SubmissionPlan | undefined;
  readonly pendingSubmission: SubmissionPlan | undefined;
  /** Whether the status reports the Serve applications of the active cluster. */
  readonly includesActiveServe: boolean;
}

/** Without an upgrade the active cluster gets the desired configuration, unless the spec needs another cluster anyway. */
export function planSubmissions(state: ServiceState, goal: CapacityGoal): ClusterSubmissions {
  const { strategy, active, pending } = state;
  const includesActiveServe = pending.name === '' ? !needsNewCluster(state) : strategy.kind === 'incremental';
  const submit = (cluster: AssignedCluster, capacity: number | undefined) =>
    cluster.view === undefined ? undefined : planSubmission(state, cluster, cluster.view, capacity);
  return {
    pendingSubmission: submit(pending, goal.pending),
    activeSubmission: includesActiveServe || pending.name !== '' ? submit(active, goal.active) : undefined,
    includesActiveServe,
  };
}

/**
 * The state with the results of earlier PUTs. One reconcile may see both the result of a PUT and the answer to the question that followed; no
 * other event comes after them, so this reconcile has to decide with both.
 */
export function withResults(
  state: ServiceState,
  { activeSubmission, pendingSubmission }: ClusterSubmissions,
): ServiceState {
  const { active, pending, memory } = state;
  const heads = { ...memory.heads };
  if (activeSubmission !== undefined) heads[active.name] = activeSubmission.headBeforeSend;
  if (pendingSubmission !== undefined) heads[pending.name] = pendingSubmission.headBeforeSend;
  return { ...state, memory: { ...memory, heads } };
}

/** The memory of the active and the pending cluster's head. Other clusters are forgotten: names are never reused. */
export function rememberHeads(
  { active, pending, memory }: ServiceState,
  { activeSubmission, pendingSubmission }: ClusterSubmissions,
): ServiceMemory['heads'] {
  const kept = (
    { name }: AssignedCluster,
    plan: SubmissionPlan | undefined,
  ): readonly (readonly [string, HeadMemory])[] => {
    const head = plan?.head ?? memory.heads[name];
    return head === undefined ? [] : [[name, head]];
  };
  return Object.fromEntries([...kept(active, activeSubmission), ...kept(pending, pendingSubmission)]);
}
