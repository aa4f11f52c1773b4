import type { KubeObject } from '@manta/api';
import type { OwnershipException } from './ownership-exceptions.ts';
import type { DeleteAction, PatchAction, UpdateAction, WrittenKind } from './plan.ts';

/** An object as it was observed: whole, or as a record that keeps who it is and the uid of its controller owner. */
export type Seen = KubeObject | SeenRecord;

export interface SeenRecord {
  readonly name: string;
  readonly uid: string;
  /** The uid of the controller that owns it. */
  readonly owner?: string | undefined;
}

const OBSERVED: unique symbol = Symbol('observed');

/**
 * The object that an action writes to, as it was observed. Its key is private to this file, so nothing else can produce a Target: an update,
 * a patch or a deletion of an object that was not observed as ours does not compile. The actor checks each Target again.
 */
export interface Target {
  readonly [OBSERVED]: true;
  readonly uid: string;
  /** The uid of its controller owner. */
  readonly owner: string | undefined;
  /** Undefined where the record does not keep it. */
  readonly resourceVersion: string | undefined;
  /** Why the object may be written to though the reconciled object is not its controller owner. */
  readonly exception?: OwnershipException;
}

type Rest<A> = Omit<A, 'type' | 'kind' | 'name' | 'uid' | 'object' | 'patch' | 'target'>;

/** Deletes an object that `owner` controls; nothing where another object, or none, is its controller owner. */
export function deleteOwn(
  owner: string,
  kind: WrittenKind,
  seen: Seen,
  rest: Rest<DeleteAction> = {},
): readonly DeleteAction[] {
  return isOwn(owner, seen) ? [deletionOf(kind, seen, targetOf(seen), rest)] : [];
}

/** Replaces an object that `owner` controls by `object`, which was made from it. */
export function updateOwn(
  owner: string,
  kind: WrittenKind,
  seen: Seen,
  object: KubeObject,
  rest: Rest<UpdateAction> = {},
): readonly UpdateAction[] {
  return isOwn(owner, seen) ? [{ type: 'update', kind, object, target: targetOf(seen), ...rest }] : [];
}

/** Applies a merge patch to an object that `owner` controls. */
export function patchOwn(
  owner: string,
  kind: WrittenKind,
  seen: Seen,
  patch: unknown,
  rest: Rest<PatchAction> = {},
): readonly PatchAction[] {
  return isOwn(owner, seen) ? [patchOf(kind, seen, patch, targetOf(seen), rest)] : [];
}

/** Replaces the reconciled object itself. */
export function updateSelf(kind: WrittenKind, live: KubeObject, object: KubeObject): UpdateAction {
  return { type: 'update', kind, object, target: targetOf(live) };
}

/** Applies a merge patch to the reconciled object itself. */
export function patchSelf(
  kind: WrittenKind,
  live: KubeObject,
  patch: unknown,
  rest: Rest<PatchAction> = {},
): PatchAction {
  return patchOf(kind, live, patch, targetOf(live), rest);
}

/** Deletes the reconciled object itself. */
export function deleteSelf(kind: WrittenKind, live: KubeObject): DeleteAction {
  return deletionOf(kind, live, targetOf(live));
}

/** Replaces an object under a named exception; the actor checks that the exception holds. */
export function updateExcepted(
  exception: OwnershipException,
  kind: WrittenKind,
  seen: Seen,
  object: KubeObject,
  rest: Rest<UpdateAction> = {},
): UpdateAction {
  return { type: 'update', kind, object, target: { ...targetOf(seen), exception }, ...rest };
}

/** Applies a merge patch under a named exception. */
export function patchExcepted(
  exception: OwnershipException,
  kind: WrittenKind,
  seen: Seen,
  patch: unknown,
  rest: Rest<PatchAction> = {},
): PatchAction {
  return patchOf(kind, seen, patch, { ...targetOf(seen), exception }, rest);
}

/** Deletes an object under a named exception. */
export function deleteExcepted(
  exception: OwnershipException,
  kind: WrittenKind,
  seen: Seen,
  rest: Rest<DeleteAction> = {},
): DeleteAction {
  return deletionOf(kind, seen, { ...targetOf(seen), exception }, rest);
}

/** Whether the object's controller owner has this uid. Labels and names prove nothing. */
export function isOwn(owner: string, seen: Seen): boolean {
  return owner !== '' && controllerOf(seen) === owner;
}

/** The uid of the controller that owns the object. */
export function controllerOf(seen: Seen): string | undefined {
  if (isSeenRecord(seen)) return seen.owner;
  return seen.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

function deletionOf(kind: WrittenKind, seen: Seen, target: Target, rest: Rest<DeleteAction> = {}): DeleteAction {
  return { type: 'delete', kind, name: nameOf(seen), uid: target.uid, target, ...rest };
}

function patchOf(
  kind: WrittenKind,
  seen: Seen,
  patch: unknown,
  target: Target,
  rest: Rest<PatchAction> = {},
): PatchAction {
  return { type: 'patch', kind, name: nameOf(seen), patch, target, ...rest };
}

function targetOf(seen: Seen): Target {
  const { uid = '', resourceVersion } = isSeenRecord(seen) ? { uid: seen.uid } : (seen.metadata ?? {});
  return { [OBSERVED]: true, uid, owner: controllerOf(seen), resourceVersion };
}

function nameOf(seen: Seen): string {
  return (isSeenRecord(seen) ? seen.name : seen.metadata?.name) ?? '';
}

function isSeenRecord(seen: Seen): seen is SeenRecord {
  return 'uid' in seen;
}
