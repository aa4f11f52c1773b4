import {
  type Condition,
  type ConditionVerdict,
  isConditionTrue,
  RayClusterConditionMessage,
  RayClusterConditionReason,
  RayClusterConditionType,
} from '@manta/api';
import type { PlanOutcome } from '../plan.ts';
import { areAllPodsThere } from './counts.ts';
import { headsOf } from './heads.ts';
import { withPermissions } from './permissions.ts';
import { withRejoin } from './rejoin.ts';
import type { Subject } from './subject.ts';

const Type = RayClusterConditionType;
const Reason = RayClusterConditionReason;

/** The conditions of a cluster once a plan has been carried out. With their gate off they stay as they are. */
export function rayClusterConditions(subject: Subject, outcome: PlanOutcome): readonly Condition[] {
  const before = subject.cluster.status?.conditions ?? [];
  if (!subject.context.gates.RayClusterStatusConditions) return before;
  const set = (conditions: readonly Condition[], type: string, verdict: ConditionVerdict) =>
    withCondition(conditions, type, verdict, subject.now);
  let conditions = withReplicaFailure(before, outcome, set);
  conditions = set(conditions, Type.HeadPodReady, headPodReady(subject));
  const provisioned = provisioning(subject);
  if (provisioned !== undefined) conditions = set(conditions, Type.Provisioned, provisioned);
  conditions = withRejoin(subject, withSuspension(subject, conditions, set), set);
  return withPermissions(subject, conditions, outcome, set);
}

type Set = (conditions: readonly Condition[], type: string, verdict: ConditionVerdict) => readonly Condition[];

/** A wait, or a failure without a tag, says nothing about replicas, so an earlier one stays; success removes it. */
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

function headPodReady({ pods }: Subject): ConditionVerdict {
  const head = headsOf(pods)[0]?.head;
  if (head === undefined) {
    return { status: 'False', reason: Reason.HeadPodNotFound, message: RayClusterConditionMessage.HeadPodNotFound };
  }
  return head.readiness;
}

/** What the API accepts as a reason and as a message; the words of a container, or of the server, may be anything. */
const VALID_REASON = /^[A-Za-z]([A-Za-z0-9_,:]{0,1022}[A-Za-z0-9_])?$/;
const MAX_MESSAGE = 32_768;

function acceptable({ status, reason, message }: ConditionVerdict): ConditionVerdict {
  return {
    status,
    reason: VALID_REASON.test(reason) ? reason : Reason.Unknown,
    message: message.slice(0, MAX_MESSAGE),
  };
}

/** Reported once, the first time that everything runs; undefined when there is nothing to say. */
function provisioning(subject: Subject): ConditionVerdict | undefined {
  const { conditions } = subject.cluster.status ?? {};
  if (isConditionTrue(conditions, Type.Provisioned) || isConditionTrue(conditions, Type.Suspended)) return undefined;
  return areAllPodsThere(subject)
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
function withSuspension(subject: Subject, conditions: readonly Condition[], set: Set): readonly Condition[] {
  const { cluster, spec, pods } = subject;
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

/** Sets one condition; its time changes only with its status, and its place in the list stays. */
export function withCondition(
  conditions: readonly Condition[],
  type: string,
  verdict: ConditionVerdict,
  now: number,
): readonly Condition[] {
  const old = conditions.find((condition) => condition.type === type);
  const lastTransitionTime = old?.status === verdict.status ? old.lastTransitionTime : timestamp(now);
  const next = { ...old, type, ...acceptable(verdict), lastTransitionTime };
  return old === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === old ? next : condition));
}

/** A time as the API writes it: whole seconds, UTC. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
