import { isRecord, isSameJson, type KubeObject } from '@manta/api';
import { controllerReference } from '../build/owner.ts';
import {
  controllerOf,
  deleteExcepted,
  deleteOwn,
  isOwn as isControlled,
  updateExcepted,
  updateOwn,
} from '../ownership.ts';
import { type Action, type PlannedEvent, warning } from '../plan.ts';
import type { Gang } from './gang.ts';
import type { GangKind, GangRecord } from './scheduler.ts';

/** The desired state of an object for a batch scheduler. Fields of the spec that are undefined are removed. */
export interface GangObject extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * Creates, updates or deletes one object of a gang. Keeps fields that others added to its spec. If another owner has an object of that name,
 * the plan aborts and no pod is created: the scheduler would count the wrong pods.
 */
export function planGangObject(
  gang: Gang,
  kind: GangKind,
  wanted: GangObject | undefined,
  seen: readonly GangRecord[],
): readonly Action[] {
  const records = seen.filter((record) => record.kind === kind);
  const name = wanted?.metadata?.name;
  const live = records.find(({ object }) => object.metadata?.name === name);
  const removed = records
    .filter((record) => record !== live && isOwn(gang, record))
    .flatMap((record) => deletion(gang, record));
  if (wanted === undefined) return removed;
  if (live === undefined) return [...removed, creation(gang, kind, wanted)];
  if (!isOwn(gang, live)) return [{ type: 'abort', message: collision(gang, live) }];
  const spec = aligned(live.object.spec, wanted.spec);
  if (spec === undefined) return removed;
  const described = `${publicKind(kind)} ${nameOf(live.object)}`;
  const failed = warning(`FailedToUpdate${publicKind(kind)}`, 'Update', `Failed to update ${described}:`);
  return [...removed, ...update(gang, live, withSpec(live.object, spec), failed)];
}

/** Whether this owner controls the object. scheduler-plugins' PodGroup only refers to its owner, without `controller: true`. */
export function isOwn({ owner }: Gang, { kind, object }: GangRecord): boolean {
  const uid = owner.object.metadata?.uid ?? '';
  return kind === 'PluginsPodGroup' ? referenced(object).includes(uid) : isControlled(uid, object);
}

function referenced({ metadata }: KubeObject): readonly string[] {
  return (metadata?.ownerReferences ?? []).map(({ uid }) => uid);
}

function update(
  { owner }: Gang,
  { kind, object: live }: GangRecord,
  object: KubeObject,
  failed: PlannedEvent,
): readonly Action[] {
  return kind === 'PluginsPodGroup'
    ? [updateExcepted({ name: 'plain-reference', referenced: referenced(live) }, kind, live, object, { failed })]
    : updateOwn(owner.object.metadata?.uid ?? '', kind, live, object, { failed });
}

export function creation(gang: Gang, kind: GangKind, object: GangObject): Action {
  const described = `${publicKind(kind)} ${nameOf(object)}`;
  const hasController = controllerOf(object) !== undefined;
  return {
    type: 'create',
    kind,
    objects: [object],
    whenExists: hasController ? 'fine-if-ours' : 'fine',
    failed: warning(
      `FailedToCreate${publicKind(kind)}`,
      'Create',
      `Failed to create ${described}, without which the pods of this ${gang.owner.kind} are not scheduled. Is the batch scheduler that the operator was started with installed?`,
    ),
  };
}

export function deletion({ owner }: Gang, { kind, object }: GangRecord): readonly Action[] {
  return kind === 'PluginsPodGroup'
    ? [deleteExcepted({ name: 'plain-reference', referenced: referenced(object) }, kind, object)]
    : deleteOwn(owner.object.metadata?.uid ?? '', kind, object);
}

export function collision({ owner }: Gang, { kind, object }: GangRecord): string {
  return `${publicKind(kind)} ${nameOf(object)} already exists and is not owned by this ${owner.kind}; rename it or use a different ${owner.kind} name to avoid the collision`;
}

/** `namespace/name`. */
export function nameOf({ metadata }: KubeObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

/** The kind's public name. */
export function publicKind(kind: GangKind): string {
  return kind === 'Workload' ? 'Workload' : 'PodGroup';
}

/** The owner reference of a gang's objects: garbage collection deletes them with their owner. */
export function gangOwnerReference({ owner }: Gang): ReturnType<typeof controllerReference> {
  return controllerReference(owner.kind, owner.object);
}

function withSpec(object: KubeObject, spec: unknown): KubeObject & { readonly spec: unknown } {
  return { ...object, spec };
}

function aligned(live: unknown, wanted: GangObject['spec']): unknown {
  const before = isRecord(live) ? live : {};
  const after = Object.fromEntries(Object.entries({ ...before, ...wanted }).filter(([, value]) => value !== undefined));
  return isSameJson(before, after) ? undefined : after;
}
