import { isManagedExternally, type RayClusterSpec, type RayClusterStatus, withRayClusterDefaults } from '@manta/api';
import { type Action, NOTHING, type Plan, type ReconcilePlan } from '../plan.ts';
import { delayForCertificates, restartForCertificates } from './certificates.ts';
import { planChildObjects } from './child-objects.ts';
import { type ClusterState, clusterStateOf } from './cluster-state.ts';
import { type ClusterMemory, NO_CLUSTER_MEMORY, withRefusals } from './create-backoff.ts';
import { addFinalizer, planDeletion, waitsForOurFinalizer } from './deletion.ts';
import { createGangFirst } from './gang.ts';
import { planHead } from './head.ts';
import { planWithoutPermissions } from './missing-permissions.ts';
import { nodeListRequeueMs } from './needs.ts';
import { isNameUndecided } from './object-name.ts';
import type { ObservedRayCluster } from './observed.ts';
import { decideRecreate } from './recreate-upgrade.ts';
import { applySecureProfile } from './secure-profile.ts';
import { rayClusterStatus } from './status.ts';
import { isSuspensionPending, suspendPods } from './suspend.ts';
import { warnAboutPods } from './trouble.ts';
import { rejectInvalidCluster, warnAboutSpec } from './validation.ts';
import { rejoinRequeueMs, replaceLostWorkers } from './worker-rejoin.ts';
import { planWorkers } from './workers.ts';

export type RayClusterPlan = ReconcilePlan<RayClusterStatus, ClusterMemory>;

/** What happens to a RayCluster, from top to bottom: the first policy that applies decides. */
export function planRayCluster(
  observed: ObservedRayCluster,
  memory: ClusterMemory = NO_CLUSTER_MEMORY,
): RayClusterPlan {
  const cluster = withRayClusterDefaults(observed.cluster);
  const backoffs = withRefusals(observed.backoffs, memory, cluster.metadata?.generation);
  const state = clusterStateOf({ ...observed, backoffs }, cluster, cluster.spec ?? NO_SPEC);
  return (
    leaveToOtherController(state) ??
    planWithoutPermissions(state) ??
    planDeletion(state) ??
    applySecureProfile(state) ??
    rejectInvalidCluster(state) ??
    maintainCluster(state)
  );
}

/** A cluster without a spec is rejected like any other invalid cluster. */
const NO_SPEC: RayClusterSpec = { headGroupSpec: { template: {} } };

/** `spec.managedBy` may have changed meanwhile; no other controller removes a finalizer of ours. */
function leaveToOtherController({ cluster }: ClusterState): Plan | undefined {
  return isManagedExternally(cluster.spec) && !waitsForOurFinalizer(cluster) ? NOTHING : undefined;
}

/** Creates, updates and deletes what the spec asks for, and reports it. */
function maintainCluster(state: ClusterState): RayClusterPlan {
  const children = planChildObjects(state);
  const isWaitingForName = isNameUndecided(state, children);
  const pods = createGangFirst(state, planPods(state)).filter(({ type }) => !isWaitingForName || type !== 'create');
  // New pods need the other objects; deleting pods does not, so a problem with an object never blocks a suspension.
  const inOrder = isSuspensionPending(state) ? [...pods, ...children] : [...children, ...pods];
  return {
    actions: [...warnAboutSpec(state), ...warnAboutPods(state), ...addFinalizer(state), ...inOrder],
    statusAfter: (outcome) => rayClusterStatus(state, outcome),
    ...requeue(state, isWaitingForName),
  };
}

/** No pods while the cluster is suspended, new ones when the spec changed and asks for Recreate, else one head and its workers. */
function planPods(state: ClusterState): readonly Action[] {
  const suspended = suspendPods(state);
  if (suspended !== undefined) return suspended;
  const upgrade = decideRecreate(state);
  if (upgrade.kind === 'recreate') return upgrade.actions;
  const head = planHead(state);
  const workers = head.mayContinue ? [...replaceLostWorkers(state), ...planWorkers(state)] : [];
  const actions = [...upgrade.actions, ...head.actions, ...workers, ...restartForCertificates(state)];
  return delayForCertificates(state, deletionsFirst(actions));
}

/** Deletions free quota: with a used-up quota a refused creation would block every deletion after it. */
function deletionsFirst(actions: readonly Action[]): readonly Action[] {
  const isCreation = ({ type }: Action) => type === 'create';
  return [...deleteOnce(actions.filter((action) => !isCreation(action))), ...actions.filter(isCreation)];
}

/** Two policies may delete the same pod; the event gives the reason of the first. */
function deleteOnce(actions: readonly Action[]): readonly Action[] {
  const seen = new Set<string>();
  return actions.filter((action) => {
    if (action.type !== 'delete') return true;
    const pod = `${action.kind}/${action.name}`;
    const isFirst = !seen.has(pod);
    seen.add(pod);
    return isFirst;
  });
}

const NAME_REQUEUE_MS = 1000;

/** Requeues for the next deadline, and regularly as often as the installation says. */
function requeue(state: ClusterState, isWaitingForName: boolean): Pick<Plan, 'requeueAfterMs'> {
  const { rayClusterRequeueSeconds } = state.context.env;
  const regular = rayClusterRequeueSeconds > 0 ? rayClusterRequeueSeconds * 1000 : undefined;
  const deadlines = [
    regular,
    rejoinRequeueMs(state),
    nodeListRequeueMs(state),
    isWaitingForName ? NAME_REQUEUE_MS : undefined,
  ].filter((ms) => ms !== undefined);
  return deadlines.length === 0 ? {} : { requeueAfterMs: Math.min(...deadlines) };
}
