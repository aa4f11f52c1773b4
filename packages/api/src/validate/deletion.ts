/** What is deleted after a job: the two legacy policies or a list of rules, never both. */
import type { FeatureGates } from '../feature-gates.ts';
import { isSet, keysOf, type Loose, listOf, numberOf, textOf } from '../loose.ts';
import { isAutoscalingEnabled } from '../predicates.ts';
import { DeletionPolicyType, type RayJobSpec } from '../rayjob.ts';
import { deletionRuleProblems } from './deletion-rules.ts';
import { type FieldError, fieldError } from './field-error.ts';

const { DeleteCluster, DeleteNone, DeleteWorkers } = DeletionPolicyType;

/** All rules on deletion and its delay, in their order. */
export function checkDeletion(spec: Loose<RayJobSpec>, gates: FeatureGates, at: string): FieldError | undefined {
  const shutdown = spec?.shutdownAfterJobFinishes === true;
  if (!shutdown && (numberOf(spec?.ttlSecondsAfterFinished) ?? 0) > 0) {
    const rule = 'a RayJob with shutdownAfterJobFinishes set to false cannot have TTLSecondsAfterFinished';
    return fieldError(`${at}.ttlSecondsAfterFinished`, `The RayJob spec is invalid: ${rule}`);
  }
  if (!isSet(spec?.deletionStrategy)) return undefined;
  const problem = strategyProblem(spec, gates, shutdown);
  return problem === undefined ? undefined : fieldError(`${at}.deletionStrategy`, problem);
}

function strategyProblem(spec: Loose<RayJobSpec>, gates: FeatureGates, shutdown: boolean): string | undefined {
  const strategy = spec?.deletionStrategy;
  if (!gates.RayJobDeletionPolicy) return 'RayJobDeletionPolicy feature gate must be enabled to use DeletionStrategy';
  const legacy = isSet(strategy?.onSuccess) || isSet(strategy?.onFailure);
  const rules = listOf(strategy?.deletionRules);
  const invalid = 'The RayJob spec is invalid:';
  if (rules.length > 0 && shutdown) {
    return `${invalid} spec.shutdownAfterJobFinishes and spec.deletionStrategy.deletionRules are mutually exclusive`;
  }
  if (rules.length > 0 && legacy) {
    return `${invalid} Cannot use both legacy onSuccess/onFailure fields and deletionRules simultaneously`;
  }
  if (legacy) return legacyProblem(spec, shutdown);
  if (rules.length === 0) {
    const either = 'either BOTH onSuccess and onFailure, OR the deletionRules field (cannot be empty)';
    return `${invalid} DeletionStrategy requires ${either}`;
  }
  const problems = deletionRuleProblems(rules, {
    selectsCluster: keysOf(spec?.clusterSelector).length > 0,
    autoscaling: isAutoscalingEnabled(spec?.rayClusterSpec),
  });
  return problems.length === 0 ? undefined : problems.join('\n');
}

function legacyProblem(spec: Loose<RayJobSpec>, shutdown: boolean): string | undefined {
  const { onSuccess, onFailure } = spec?.deletionStrategy ?? {};
  if (!isSet(onSuccess) || !isSet(onFailure)) {
    return 'both DeletionStrategy.OnSuccess and DeletionStrategy.OnFailure must be set when using the legacy deletion policy fields of DeletionStrategy';
  }
  const unset = !isSet(onSuccess?.policy) ? 'OnSuccess' : !isSet(onFailure?.policy) ? 'OnFailure' : undefined;
  if (unset !== undefined) {
    return `the DeletionPolicyType field of DeletionStrategy.${unset} cannot be unset when DeletionStrategy is enabled`;
  }
  const success = textOf(onSuccess?.policy);
  const failure = textOf(onFailure?.policy);
  return legacyConflict(spec, success, failure, shutdown);
}

function legacyConflict(
  spec: Loose<RayJobSpec>,
  success: string,
  failure: string,
  shutdown: boolean,
): string | undefined {
  if (keysOf(spec?.clusterSelector).length > 0) {
    const rule = "the ClusterSelector mode doesn't support DeletionStrategy";
    if (touchesCluster(success)) return `${rule}=${success} on success`;
    if (touchesCluster(failure)) return `${rule}=${failure} on failure`;
  }
  const either = (policy: string) => success === policy || failure === policy;
  if (either(DeleteWorkers) && isAutoscalingEnabled(spec?.rayClusterSpec)) {
    return 'DeletionStrategy=DeleteWorkers currently does not support RayCluster with autoscaling enabled';
  }
  if (shutdown && either(DeleteNone)) {
    return "The RayJob spec is invalid: shutdownAfterJobFinshes is set to 'true' while deletion policy is 'DeleteNone'";
  }
  return undefined;
}

function touchesCluster(policy: string): boolean {
  return policy === DeleteCluster || policy === DeleteWorkers;
}
