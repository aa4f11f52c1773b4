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

/** An object that a scheduler reads, as it should be. What the spec gives as undefined is taken away. */
export interface GangObject extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * Creates, updates or removes one object of a gang, like any other child. What others have added to its spec stays. One of somebody else
 * under its name is left alone, and nothing starts: its scheduler would count the wrong pods.
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
  const told = `${publicKind(kind)} ${nameOf(live.object)}`;
  const failed = warning(`FailedToUpdate${publicKind(kind)}`, 'Update', `Failed to update ${told}:`);
  return [...removed, ...update(gang, live, withSpec(live.object, spec), failed)];
}

/** Whether the object was made for this very owner; only scheduler-plugins' PodGroup names it without making it the controller. */
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
  const told = `${publicKind(kind)} ${nameOf(object)}`;
  const hasController = controllerOf(object) !== undefined;
  return {
    type: 'create',
    kind,
    objects: [object],
    whenExists: hasController ? 'fine-if-ours' : 'fine',
    failed: warning(
      `FailedToCreate${publicKind(kind)}`,
      'Create',
      `Failed to create ${told}, without which the pods of this ${gang.owner.kind} are not scheduled. Is the batch scheduler that the operator was started with installed?`,
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

/** As its users call it. */
export function publicKind(kind: GangKind): string {
  return kind === 'Workload' ? 'Workload' : 'PodGroup';
}

/** The owner reference of what belongs to a gang and goes with its owner. */
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
