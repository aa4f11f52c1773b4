/** The rules of a deletion strategy, one by one and against each other. Unlike elsewhere, all problems are told. */
import { isSet, type Loose, numberOf, textOf } from '../loose.ts';
import { type DeletionCondition, DeletionPolicyType, type DeletionRule } from '../rayjob.ts';

const { DeleteCluster, DeleteSelf, DeleteWorkers } = DeletionPolicyType;

/** What goes first may not be kept longer than what goes after it. */
const DELETION_ORDER = [DeleteWorkers, DeleteCluster, DeleteSelf];

/** What of the job's spec bears on its rules. */
export interface DeletionContext {
  readonly selectsCluster: boolean;
  readonly autoscaling: boolean;
}

/** Seconds by policy, for one value of one status. */
interface Moment {
  readonly status: 'JobStatus' | 'JobDeploymentStatus';
  readonly value: string;
  readonly ttls: Map<string, number>;
}

/** All problems: those of single rules in their order, then rules whose delays contradict the order of deletion. */
export function deletionRuleProblems(
  rules: readonly Loose<DeletionRule>[],
  context: DeletionContext,
): readonly string[] {
  const moments = new Map<string, Moment>();
  const problems = rules.flatMap((rule, index) => {
    const problem = ruleProblem(rule, context) ?? recordRule(rule, moments);
    return problem === undefined ? [] : [`deletionRules[${index}]: ${problem}`];
  });
  return [...problems, ...[...moments.values()].toSorted(byStatusAndValue).flatMap(orderProblems)];
}

function ruleProblem(rule: Loose<DeletionRule>, context: DeletionContext): string | undefined {
  const policy = textOf(rule?.policy);
  const problem = conditionProblem(rule?.condition);
  if (problem !== undefined) return problem;
  if (context.selectsCluster && (policy === DeleteCluster || policy === DeleteWorkers)) {
    return `DeletionPolicyType '${policy}' not supported when ClusterSelector is set`;
  }
  if (context.autoscaling && policy === DeleteWorkers) {
    return "DeletionPolicyType 'DeleteWorkers' not supported with autoscaling enabled";
  }
  return undefined;
}

function conditionProblem(condition: Loose<DeletionCondition>): string | undefined {
  const byJob = isSet(condition?.jobStatus);
  const byDeployment = isSet(condition?.jobDeploymentStatus);
  if (byJob && byDeployment) return 'cannot set both JobStatus and JobDeploymentStatus at the same time';
  if (!byJob && !byDeployment) return 'exactly one of JobStatus and JobDeploymentStatus must be set';
  return ttlOf(condition) < 0 ? 'TTLSeconds must be non-negative' : undefined;
}

/** Remembers a good rule; the second one for the same policy and moment is a problem. */
function recordRule(rule: Loose<DeletionRule>, moments: Map<string, Moment>): string | undefined {
  const condition = rule?.condition;
  const policy = textOf(rule?.policy);
  const status = isSet(condition?.jobStatus) ? 'JobStatus' : 'JobDeploymentStatus';
  const value = textOf(condition?.jobStatus ?? condition?.jobDeploymentStatus);
  const key = `${status}/${value}`;
  const moment: Moment = moments.get(key) ?? { status, value, ttls: new Map() };
  moments.set(key, moment);
  if (moment.ttls.has(policy)) return `duplicate rule for DeletionPolicyType '${policy}' and ${status} '${value}'`;
  moment.ttls.set(policy, ttlOf(condition));
  return undefined;
}

function orderProblems({ status, value, ttls }: Moment): readonly string[] {
  const steps = DELETION_ORDER.flatMap((policy) => {
    const ttl = ttls.get(policy);
    return ttl === undefined ? [] : [{ policy, ttl }];
  });
  return steps.flatMap((step, index) => {
    const before = steps[index - 1];
    if (before === undefined || step.ttl >= before.ttl) return [];
    const rule = `${step.policy} TTL (${step.ttl}) must be >= ${before.policy} TTL (${before.ttl})`;
    return [`for ${status} '${value}': ${rule}`];
  });
}

/** Job statuses before deployment statuses, each in order of their values, so that messages are stable. */
function byStatusAndValue(a: Moment, b: Moment): number {
  if (a.status !== b.status) return a.status === 'JobStatus' ? -1 : 1;
  return a.value < b.value ? -1 : Number(a.value > b.value);
}

function ttlOf(condition: Loose<DeletionCondition>): number {
  return numberOf(condition?.ttlSeconds) ?? 0;
}
