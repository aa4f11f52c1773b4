import { type CustomResourceDefinition, timestamp } from '@manta/api';
import type { Clock } from '@manta/kube';
import { deepEqual } from '../object/deep-equal.ts';
import type { ResourceName } from '../object/resource-info.ts';
import type { Store, StoreEvent } from '../store/contract.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { cleanUpDefinition } from './definition-cleanup.ts';
import { definitionStatus } from './definition-status.ts';
import type { Registry } from './registry.ts';
import { servedDefinition } from './served-definition.ts';

/** Where definitions lie. */
export const DEFINITIONS: ResourceName = 'apiextensions.k8s.io/customresourcedefinitions';

/** Serves what the stored definitions define, follows their changes and cleans up after them. The returned function ends it. */
export function serveDefinitions(store: Store, registry: Registry, clock: Clock): () => void {
  const follow = (object: StoredObject): void => {
    if (object.metadata.deletionTimestamp !== undefined) cleanUpDefinition(store, clock, object);
    else if (!establish(store, clock, object)) serve(registry, object);
  };
  for (const object of store.list(DEFINITIONS)) follow(object);
  return store.watch(store.revision, (event) => {
    if (event.key.resource === DEFINITIONS) onDefinition(registry, event, follow);
    else if (event.type === 'DELETED') onInstanceGone(store, event, follow);
  });
}

function onDefinition(registry: Registry, event: StoreEvent, follow: (object: StoredObject) => void): void {
  if (event.type === 'DELETED') unserve(registry, event.object);
  else if (event.before === undefined || isChanged(event.before, event.object)) follow(event.object);
}

function isChanged(before: StoredObject, after: StoredObject): boolean {
  const isMarked = before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp;
  return isMarked || before['spec'] !== after['spec'] || before['status'] !== after['status'];
}

/** The last instance of a definition that is being deleted takes the definition along. */
function onInstanceGone(store: Store, { key }: StoreEvent, follow: (object: StoredObject) => void): void {
  const [group = '', plural = ''] = key.resource.split('/');
  const definition = store.get({ resource: DEFINITIONS, namespace: '', name: `${plural}.${group}` });
  if (definition?.metadata.deletionTimestamp !== undefined) follow(definition);
}

/** Writes the status that says whether a definition is served; false where it is up to date. */
function establish(store: Store, clock: Clock, object: StoredObject): boolean {
  const others = store.list(DEFINITIONS).filter(({ metadata }) => metadata.name !== object.metadata.name);
  const status = definitionStatus(asDefinition(object), others.map(asDefinition), timestamp(clock.now()));
  if (deepEqual(status, object['status'])) return false;
  store.update({ resource: DEFINITIONS, namespace: '', name: object.metadata.name }, { ...object, status });
  return true;
}

function unserve(registry: Registry, object: StoredObject): void {
  const { spec } = asDefinition(object);
  registry.remove(spec.group, spec.names.plural);
}

function serve(registry: Registry, object: StoredObject): void {
  const definition = asDefinition(object);
  const served = isEstablished(definition) ? servedDefinition(definition) : undefined;
  if (served === undefined) unserve(registry, object);
  else registry.serve(served);
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(({ type, status: is }) => type === 'Established' && is === 'True');
}

/** A stored definition as what it is. */
export function asDefinition(object: StoredObject): CustomResourceDefinition {
  // Definitions are checked when they are written.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return object as unknown as CustomResourceDefinition;
}
