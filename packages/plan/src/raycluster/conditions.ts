import {
  type Condition,
  type ConditionVerdict,
  isConditionTrue,
  RayClusterConditionMessage,
  RayClusterConditionReason,
  RayClusterConditionType,
} from '@manta/api';
import type { PlanOutcome } from '../plan.ts';
import { withCondition } from '../shared/conditions.ts';
import type { ClusterState } from './cluster-state.ts';
import { withPermissions } from './missing-permissions.ts';
import { areAllPodsRunning, headsOf } from './pods.ts';
import { unscheduledHead } from './trouble.ts';
import { withRejoin } from './worker-rejoin.ts';

const Type = RayClusterConditionType;
const Reason = RayClusterConditionReason;

/** The conditions of a cluster after a plan was carried out. With their gate off they stay as they are. */
export function rayClusterConditions(state: ClusterState, outcome: PlanOutcome): readonly Condition[] {
  const before = state.cluster.status?.conditions ?? [];
  if (!state.context.gates.RayClusterStatusConditions) return before;
  const set = (conditions: readonly Condition[], type: string, verdict: ConditionVerdict) =>
    withCondition(conditions, type, verdict, state);
  let conditions = withReplicaFailure(before, outcome, set);
  conditions = set(conditions, Type.HeadPodReady, headPodReady(state));
  const provisioned = provisioning(state);
  if (provisioned !== undefined) conditions = set(conditions, Type.Provisioned, provisioned);
  conditions = withRejoin(state, withSuspension(state, conditions, set), set);
  return withPermissions(state, conditions, outcome, set);
}

type Set = (conditions: readonly Condition[], type: string, verdict: ConditionVerdict) => readonly Condition[];

/** A wait, or a failure without a tag, says nothing about replicas, so an earlier condition stays; success removes it. */
function withReplicaFailure(conditions: readonly Condition[], outcome: PlanOutcome, set: Set): readonly Condition[] {
  if (outcome.kind === 'done') return conditions.filter(({ type }) => type !== Type.ReplicaFailure);
  if (outcome.kind === 'waiting' || outcome.failure === undefined) return conditions;
  const verdict = {
    status: 'True',
    reason: outcome.failure,
    message: `${outcome.failure}\n${outcome.message}`,
  } as const;
  return set(conditions, Type.ReplicaFailure, verdict);
}

function headPodReady(state: ClusterState): ConditionVerdict {
  const head = headsOf(state.pods)[0]?.head;
  if (head === undefined) {
    return { status: 'False', reason: Reason.HeadPodNotFound, message: RayClusterConditionMessage.HeadPodNotFound };
  }
  return unscheduledHead(state) ?? head.readiness;
}

/** Reported once, the first time that everything runs; undefined when there is nothing to say. */
function provisioning(state: ClusterState): ConditionVerdict | undefined {
  const { conditions } = state.cluster.status ?? {};
  if (isConditionTrue(conditions, Type.Provisioned) || isConditionTrue(conditions, Type.Suspended)) return undefined;
  return areAllPodsRunning(state)
    ? {
        status: 'True',
        reason: Reason.AllPodRunningAndReadyFirstTime,
        message: RayClusterConditionMessage.AllPodsReadyFirstTime,
      }
    : {
        status: 'False',
        reason: Reason.RayClusterPodsProvisioning,
        message: RayClusterConditionMessage.PodsProvisioning,
      };
}

/** One step of running → suspending → suspended → running; a suspension that has begun is finished before it can be taken back. */
function withSuspension(state: ClusterState, conditions: readonly Condition[], set: Set): readonly Condition[] {
  const { cluster, spec, pods } = state;
  const before = cluster.status?.conditions;
  const isWanted = spec.suspend === true;
  if (isConditionTrue(before, Type.Suspending)) return pods.length === 0 ? suspended(conditions, set) : conditions;
  if (isConditionTrue(before, Type.Suspended))
    return isWanted ? conditions : set(conditions, Type.Suspended, no(Reason.Suspended));
  const reset = set(conditions, Type.Suspended, no(Reason.Suspended));
  return set(reset, Type.Suspending, isWanted ? yes(Reason.Suspending) : no(Reason.Suspending));
}

function suspended(conditions: readonly Condition[], set: Set): readonly Condition[] {
  const message = RayClusterConditionMessage.Suspended;
  const unprovisioned = { status: 'False', reason: Reason.RayClusterPodsProvisioning, message } as const;
  const over = set(conditions, Type.Provisioned, unprovisioned);
  return set(set(over, Type.Suspending, no(Reason.Suspending)), Type.Suspended, yes(Reason.Suspended));
}

const yes = (reason: string): ConditionVerdict => ({ status: 'True', reason, message: '' });
const no = (reason: string): ConditionVerdict => ({ status: 'False', reason, message: '' });
