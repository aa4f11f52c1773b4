import { timestamp } from '@manta/api';
import { isObject, type JsonObject } from '../object/json.ts';
import type { ResourceName } from '../object/resource-info.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { badRequest } from '../status/errors.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import { labelsOf } from '../object/metadata.ts';
import type { Scope, WriteParams } from '../requests/request.ts';
import { matchesLabelSelector } from '../selectors/object-selector.ts';
import { asJson, asNew, asStored } from '../object/stored-json.ts';
import { deleteObject } from '../verbs/delete.ts';
import { deleteParamsOf } from '../verbs/delete-options.ts';
import { storedObject } from '../verbs/get.ts';
import { rewrite } from '../verbs/rewrite.ts';

const BUDGETS: ResourceName = 'policy/poddisruptionbudgets';

/** Deletes a pod unless a disruption budget forbids it right now. */
export async function evictPod(api: Api, scope: Scope, body: unknown, params: WriteParams): Promise<StoredObject> {
  if (!isObject(body)) throw badRequest('Eviction must be a JSON object');
  const name = textAt(body, 'metadata.name');
  if (name !== '' && name !== scope.name) throw badRequest('name in URL does not match name in Eviction object');
  const pod = storedObject(api, scope);
  const options = deleteParamsOf(body['deleteOptions']);
  const isDryRun = params.isDryRun === true || options.isDryRun === true;
  if (needsBudget(asJson(pod))) takeFromBudget(api, scope, pod, isDryRun);
  if (!isDryRun) await markDisrupted(api, scope);
  await deleteObject(api, { ...scope, subresource: '' }, { ...options, isDryRun });
  return asStored({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

/** Adds the DisruptionTarget condition to an evicted pod. */
async function markDisrupted(api: Api, scope: Scope): Promise<void> {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(api.world.clock.now()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const change = (pod: JsonObject): JsonObject => {
    const status = isObject(pod['status']) ? pod['status'] : {};
    const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
    const others = conditions.filter((known) => !isObject(known) || known['type'] !== condition.type);
    return { ...pod, status: { ...status, conditions: [...others, condition] } };
  };
  await rewrite(api, { ...scope, subresource: 'status' }, {}, { change, isInternal: true, isUnconditional: true });
}

/** Terminated and pending pods may always be evicted. */
function needsBudget(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status.phase');
  return (
    !['Succeeded', 'Failed', 'Pending'].includes(phase) && valueAt(pod, 'metadata.deletionTimestamp') === undefined
  );
}

function takeFromBudget(api: Api, scope: Scope, pod: StoredObject, isDryRun: boolean): void {
  const budgets = api.store
    .list(BUDGETS, { namespace: scope.namespace })
    .filter((budget) => matchesLabelSelector(valueAt(asJson(budget), 'spec.selector'), labelsOf(pod)));
  const [budget] = budgets;
  if (budget === undefined) return;
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError(500, 'InternalError', message);
  }
  const json = asJson(budget);
  if (isUnhealthyAndFree(json, asJson(pod))) return;
  const left = valueAt(json, 'status.disruptionsAllowed');
  const allowed = typeof left === 'number' ? left : 0;
  if (allowed <= 0) throw refusal(json);
  if (isDryRun) return;
  const status = isObject(json['status']) ? json['status'] : {};
  const disrupted = isObject(status['disruptedPods']) ? status['disruptedPods'] : {};
  const now = timestamp(api.world.clock.now());
  const next = {
    ...json,
    status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...disrupted, [scope.name]: now } },
  };
  api.store.update({ resource: BUDGETS, namespace: scope.namespace, name: budget.metadata.name }, asNew(next));
}

/** An unready pod may be evicted if the budget's unhealthyPodEvictionPolicy allows it or enough pods are healthy. */
function isUnhealthyAndFree(budget: JsonObject, pod: JsonObject): boolean {
  const conditions = valueAt(pod, 'status.conditions');
  const isReady =
    Array.isArray(conditions) &&
    conditions.some(
      (condition) => isObject(condition) && condition['type'] === 'Ready' && condition['status'] === 'True',
    );
  if (isReady) return false;
  if (textAt(budget, 'spec.unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  return (
    numberAt(budget, 'status.currentHealthy') >= numberAt(budget, 'status.desiredHealthy') &&
    numberAt(budget, 'status.desiredHealthy') > 0
  );
}

function refusal(budget: JsonObject): StatusError {
  const name = textAt(budget, 'metadata.name');
  const [desired, current] = [numberAt(budget, 'status.desiredHealthy'), numberAt(budget, 'status.currentHealthy')];
  const message = `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`;
  const causes = [{ reason: 'DisruptionBudget', message, field: '' }];
  const text = "Cannot evict pod as it would violate the pod's disruption budget.";
  return new StatusError(429, 'TooManyRequests', text, { causes, retryAfterSeconds: 0 });
}

function numberAt(object: JsonObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
}
