import { type DeletionRule, RayJobEventReason, RayJobState } from '@manta/api';
import { deleteSelf, patchOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { deleteCluster } from './cleanup.ts';
import { isOwnCluster } from './cluster.ts';
import { releaseGang } from './gang.ts';
import { type Step, stay } from './step.ts';
import { keepStopping } from './stop.ts';
import { fullName, type Subject } from './subject.ts';
import { msUntil, soonest } from './times.ts';

/** Timers may fire a little early; a pass that comes too soon would be in vain. */
const PAD_MS = 2000;

/** Cleans up after a job that has ended, as and when its user wants it; before that, one that was cut off is stopped. */
export function tidyUp(subject: Subject): Step {
  const stopped = keepStopping(subject);
  const tidied = cleanUp(subject);
  return stay(
    [...stopped.actions, ...tidied.actions, ...releaseGang(subject)],
    soonest(stopped.requeueAfterMs, tidied.requeueAfterMs),
  );
}

function cleanUp(subject: Subject): Step {
  const { spec, isSelecting, context } = subject;
  if (isSelecting) return stay();
  const strategy = context.gates.RayJobDeletionPolicy ? spec.deletionStrategy : undefined;
  if (strategy?.deletionRules !== undefined) return byRules(subject, strategy.deletionRules);
  if (strategy !== undefined) return byLegacyPolicy(subject);
  if (spec.shutdownAfterJobFinishes !== true) return stay();
  return after(subject, spec.ttlSecondsAfterFinished, () =>
    context.env.deleteRayJobAfterJobFinishes ? [deleteSelf('RayJob', subject.job)] : deleteCluster(subject),
  );
}

/** Waits until that many seconds after the end, then acts. */
function after({ status, now }: Subject, seconds: number | undefined, act: () => readonly Action[]): Step {
  const waitMs = msToDue({ status, now }, seconds);
  return waitMs > 0 ? stay([], waitMs + PAD_MS) : stay(act());
}

/** What is due at the end is due now, whatever the clock says. */
function msToDue({ status, now }: Pick<Subject, 'status' | 'now'>, seconds = 0): number {
  return seconds === 0 ? 0 : (msUntil(status.endTime, seconds, now) ?? 0);
}

/** From the mildest to the most thorough. */
const SEVERITY: Readonly<Record<string, number>> = { DeleteNone: 1, DeleteWorkers: 2, DeleteCluster: 3, DeleteSelf: 4 };

/** Of the rules that are due, only the most thorough is carried out; the others follow from it. */
function byRules(subject: Subject, rules: readonly DeletionRule[]): Step {
  const matching = rules
    .filter(({ condition }) => isMet(subject, condition))
    .map((rule) => ({ rule, waitMs: msToDue(subject, rule.condition.ttlSeconds) }));
  const due = matching.filter(({ rule, waitMs }) => waitMs <= 0 && !isReached(subject, rule.policy));
  const [most] = due.toSorted((a, b) => severityOf(b.rule) - severityOf(a.rule));
  const next = soonest(...matching.map(({ waitMs }) => waitMs));
  const requeueAfterMs = next === undefined ? undefined : next + PAD_MS;
  return stay(most === undefined ? [] : carryOut(subject, most.rule.policy), requeueAfterMs);
}

function severityOf({ policy }: DeletionRule): number {
  return SEVERITY[policy] ?? 0;
}

function isMet({ status }: Subject, { jobStatus, jobDeploymentStatus }: DeletionRule['condition']): boolean {
  if (jobStatus !== undefined) return jobStatus === status.jobStatus;
  return jobDeploymentStatus !== undefined && jobDeploymentStatus === status.jobDeploymentStatus;
}

/** The old way knows success and failure only; a job that was stopped or never submitted is neither. */
function byLegacyPolicy(subject: Subject): Step {
  const { spec, status } = subject;
  const { onSuccess, onFailure } = spec.deletionStrategy ?? {};
  const policies: Readonly<Record<string, string | undefined>> = {
    [RayJobState.Succeeded]: onSuccess?.policy,
    [RayJobState.Failed]: onFailure?.policy,
  };
  const policy = policies[status.jobStatus ?? ''];
  if (policy === undefined || policy === 'DeleteNone') return stay();
  return after(subject, spec.ttlSecondsAfterFinished, () =>
    isReached(subject, policy) ? [] : carryOut(subject, policy),
  );
}

function isReached(subject: Subject, policy: string): boolean {
  const { cluster } = subject;
  const isGone = !isOwnCluster(subject) || cluster?.metadata?.deletionTimestamp !== undefined;
  switch (policy) {
    case 'DeleteWorkers':
      return isGone || (cluster?.spec?.workerGroupSpecs ?? []).every(({ suspend }) => suspend === true);
    case 'DeleteCluster':
      return isGone;
    default:
      return policy !== 'DeleteSelf';
  }
}

function carryOut(subject: Subject, policy: string): readonly Action[] {
  if (policy === 'DeleteSelf') return [deleteSelf('RayJob', subject.job)];
  return policy === 'DeleteCluster' ? deleteCluster(subject) : suspendWorkers(subject);
}

/** The head stays for whoever wants to look at it. */
function suspendWorkers(subject: Subject): readonly Action[] {
  if (subject.cluster === undefined) return [];
  const { metadata, spec } = subject.cluster;
  const { name = '', resourceVersion } = metadata ?? {};
  const workerGroupSpecs = (spec?.workerGroupSpecs ?? []).map((group) => ({ ...group, suspend: true }));
  const cluster = fullName(subject, name);
  const done = normal(
    RayJobEventReason.UpdatedRayCluster,
    'Update',
    `Set the \`suspend\` field to true for all worker groups in cluster ${cluster}`,
  );
  const failed = warning(
    RayJobEventReason.FailedToUpdateRayCluster,
    'Update',
    `Failed to suspend worker groups in cluster ${cluster}:`,
  );
  const patch = { metadata: { resourceVersion }, spec: { workerGroupSpecs } };
  return patchOwn(subject.uid, 'RayCluster', subject.cluster, patch, { done, failed });
}
