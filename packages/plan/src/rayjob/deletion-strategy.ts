import { type DeletionRule, RayJobState } from '@manta/api';
import { deleteSelf } from '../ownership.ts';
import type { Action } from '../plan.ts';
import { isOwnCluster } from './cluster.ts';
import { deleteOwnCluster, suspendWorkerGroups } from './cluster-deletion.ts';
import type { JobState } from './state.ts';
import { type Step, stay } from './step.ts';
import { msToTtlEnd, soonest, TTL_PADDING_MS } from './timers.ts';

/** Deletes what the spec names after the job's end: by rules, by the legacy policies, or by `shutdownAfterJobFinishes`. */
export function applyDeletionStrategy(state: JobState): Step {
  const { spec, selectsExistingCluster, context } = state;
  if (selectsExistingCluster) return stay();
  const strategy = context.gates.RayJobDeletionPolicy ? spec.deletionStrategy : undefined;
  if (strategy?.deletionRules !== undefined) return applyRules(state, strategy.deletionRules);
  if (strategy !== undefined) return applyLegacyPolicies(state);
  if (spec.shutdownAfterJobFinishes !== true) return stay();
  return afterTtl(state, () =>
    context.env.deleteRayJobAfterJobFinishes ? [deleteSelf('RayJob', state.job)] : deleteOwnCluster(state),
  );
}

/** Waits for `ttlSecondsAfterFinished`, then acts. */
function afterTtl(state: JobState, act: () => readonly Action[]): Step {
  const waitMs = msToTtlEnd(state, state.spec.ttlSecondsAfterFinished);
  return waitMs > 0 ? stay([], waitMs + TTL_PADDING_MS) : stay(act());
}

/** A higher number deletes more, and includes the effect of the lower ones. */
const SEVERITY: Readonly<Record<string, number>> = { DeleteNone: 1, DeleteWorkers: 2, DeleteCluster: 3, DeleteSelf: 4 };

/** Of the rules that are due, only the most severe is applied. */
function applyRules(state: JobState, rules: readonly DeletionRule[]): Step {
  const matching = rules
    .filter(({ condition }) => isConditionMet(state, condition))
    .map((rule) => ({ rule, waitMs: msToTtlEnd(state, rule.condition.ttlSeconds) }));
  const due = matching.filter(({ rule, waitMs }) => waitMs <= 0 && !isApplied(state, rule.policy));
  const [mostSevere] = due.toSorted((a, b) => severityOf(b.rule) - severityOf(a.rule));
  const nextMs = soonest(...matching.map(({ waitMs }) => waitMs));
  const requeueAfterMs = nextMs === undefined ? undefined : nextMs + TTL_PADDING_MS;
  return stay(mostSevere === undefined ? [] : applyPolicy(state, mostSevere.rule.policy), requeueAfterMs);
}

function severityOf({ policy }: DeletionRule): number {
  return SEVERITY[policy] ?? 0;
}

function isConditionMet({ status }: JobState, { jobStatus, jobDeploymentStatus }: DeletionRule['condition']): boolean {
  if (jobStatus !== undefined) return jobStatus === status.jobStatus;
  return jobDeploymentStatus !== undefined && jobDeploymentStatus === status.jobDeploymentStatus;
}

/** `onSuccess` and `onFailure` cover only jobs that succeeded or failed, not jobs that were stopped or never submitted. */
function applyLegacyPolicies(state: JobState): Step {
  const { onSuccess, onFailure } = state.spec.deletionStrategy ?? {};
  const policies: Readonly<Record<string, string | undefined>> = {
    [RayJobState.Succeeded]: onSuccess?.policy,
    [RayJobState.Failed]: onFailure?.policy,
  };
  const policy = policies[state.status.jobStatus ?? ''];
  if (policy === undefined || policy === 'DeleteNone') return stay();
  return afterTtl(state, () => (isApplied(state, policy) ? [] : applyPolicy(state, policy)));
}

function isApplied(state: JobState, policy: string): boolean {
  const { cluster } = state;
  const isDeleted = !isOwnCluster(state) || cluster?.metadata?.deletionTimestamp !== undefined;
  switch (policy) {
    case 'DeleteWorkers':
      return isDeleted || (cluster?.spec?.workerGroupSpecs ?? []).every(({ suspend }) => suspend === true);
    case 'DeleteCluster':
      return isDeleted;
    default:
      return policy !== 'DeleteSelf';
  }
}

function applyPolicy(state: JobState, policy: string): readonly Action[] {
  if (policy === 'DeleteSelf') return [deleteSelf('RayJob', state.job)];
  return policy === 'DeleteCluster' ? deleteOwnCluster(state) : suspendWorkerGroups(state);
}
