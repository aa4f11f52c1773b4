import { timestamp } from '@manta/api';
import { ownValue } from '@manta/base';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { badRequest, conflict } from '../status/errors.ts';
import { textAt, valueAt, withValueAt } from '../registry/json-path.ts';
import { metadataOf, metaText, withMetadata } from '../object/metadata.ts';
import type { Scope, WriteParams } from '../requests/request.ts';
import { asStored } from '../object/stored-json.ts';
import { rewrite } from '../verbs/rewrite.ts';

/** Puts a pod onto a node: what a scheduler does. */
export async function bindPod(api: Api, scope: Scope, body: unknown, params: WriteParams): Promise<StoredObject> {
  if (!isObject(body)) throw badRequest('Binding must be a JSON object');
  const node = textAt(body, 'target.name');
  if (node === '') throw badRequest('target.name: Required value');
  const now = timestamp(api.world.clock.now());
  const change = (pod: JsonObject) => bound(scope, pod, body, node, now);
  await rewrite(api, { ...scope, subresource: 'binding' }, params, { change, isInternal: true, isUnconditional: true });
  const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return asStored(success);
}

function bound(scope: Scope, pod: JsonObject, binding: JsonObject, node: string, now: string): JsonObject {
  const refuse = (why: string) => conflict({ group: '', plural: 'pods/binding' }, scope.name, why);
  const uid = metaText(binding, 'uid');
  if (uid !== '' && uid !== metaText(pod, 'uid')) {
    throw refuse(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaText(pod, 'uid')}`);
  }
  const gates = valueAt(pod, 'spec.schedulingGates');
  if (Array.isArray(gates) && gates.length > 0) {
    throw refuse(`pod ${scope.name} has non-empty .spec.schedulingGates`);
  }
  if (metadataOf(pod)['deletionTimestamp'] !== undefined) {
    throw refuse(`pod ${scope.name} is being deleted, cannot be assigned to a host`);
  }
  const current = textAt(pod, 'spec.nodeName');
  if (current !== '') {
    throw refuse(`pod ${scope.name} is already assigned to node "${current}"`);
  }
  const annotations = { ...objectAt(pod, 'annotations'), ...objectAt(binding, 'annotations') };
  const labels = { ...objectAt(pod, 'labels'), ...objectAt(binding, 'labels') };
  const annotated = withMetadata(pod, {
    annotations: Object.keys(annotations).length === 0 ? undefined : annotations,
    labels: Object.keys(labels).length === 0 ? undefined : labels,
  });
  return scheduled(withValueAt(annotated, 'spec.nodeName', node), now);
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = ownValue(metadataOf(object), key);
  return isObject(value) ? value : {};
}

/** The pod with its PodScheduled condition true. */
function scheduled(pod: JsonObject, now: string): JsonObject {
  const status = isObject(pod['status']) ? pod['status'] : {};
  const conditions: readonly Json[] = Array.isArray(status['conditions']) ? status['conditions'] : [];
  const others = conditions.filter((condition) => !isObject(condition) || condition['type'] !== 'PodScheduled');
  const condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  return { ...pod, status: { ...status, conditions: [...others, condition] } };
}
