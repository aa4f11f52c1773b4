import { timestamp } from '@manta/api';
import type { Clock } from '@manta/kube';
import type { ResourceName } from '../object/resource-info.ts';
import type { Store } from '../store/contract.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { textAt } from './json-path.ts';
import { finalizersOf, withMetadata } from '../object/metadata.ts';
import { asJson, asNew } from '../object/stored-json.ts';
import { CLEANUP_FINALIZER } from '../verbs/mark-deleted.ts';

/** Deletes the instances of a definition that is being deleted, and the definition when none is left. */
export function cleanUpDefinition(store: Store, clock: Clock, definition: StoredObject): void {
  const json = asJson(definition);
  const resource: ResourceName = `${textAt(json, 'spec.group')}/${textAt(json, 'spec.names.plural')}`;
  for (const instance of store.list(resource)) deleteInstance(store, clock, resource, instance);
  const key = { resource: DEFINITIONS, namespace: '', name: definition.metadata.name };
  const current = store.get(key);
  if (current === undefined || store.list(resource).length > 0) return;
  const left = finalizersOf(asJson(current)).filter((name) => name !== CLEANUP_FINALIZER);
  if (left.length === 0) store.delete(key);
  else if (finalizersOf(asJson(current)).length > left.length) {
    store.update(key, asNew(withMetadata(asJson(current), { finalizers: left })));
  }
}

const DEFINITIONS: ResourceName = 'apiextensions.k8s.io/customresourcedefinitions';

function deleteInstance(store: Store, clock: Clock, resource: ResourceName, { metadata }: StoredObject): void {
  const key = { resource, namespace: metadata.namespace ?? '', name: metadata.name };
  const current = store.get(key);
  if (current === undefined) return;
  const json = asJson(current);
  if (finalizersOf(json).length === 0) {
    store.delete(key);
    return;
  }
  if (current.metadata.deletionTimestamp !== undefined) return;
  const deletionTimestamp = timestamp(clock.now());
  store.update(key, asNew(withMetadata(json, { deletionTimestamp, deletionGracePeriodSeconds: 0 })));
}
