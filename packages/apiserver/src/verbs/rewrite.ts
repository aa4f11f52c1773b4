import { goQuote, timestamp } from '@manta/api';
import type { Json, JsonObject } from '../object/json.ts';
import { recordUpdate, withoutTimeOnlyChange } from '../patch/index.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { writeOptions } from '../admission/options.ts';
import type { Api } from '../api.ts';
import { conflict, invalid, MODIFIED } from '../status/errors.ts';
import { managerOf } from '../object/field-manager.ts';
import { finalizersOf, metadataOf, metaText, withMetadata } from '../object/metadata.ts';
import type { Scope, WriteParams } from '../requests/request.ts';
import { asJson, asNew, asStored } from '../object/stored-json.ts';
import type { Applied } from './create.ts';
import { storedObject } from './get.ts';
import { keyOf } from './key-of.ts';

/** How a stored object is turned into its successor. */
export interface Rewrite {
  /** Computes the new object from the current one, in the request's version. Called again after a concurrent write. */
  readonly change: (old: JsonObject) => JsonObject;
  /** `metadata.managedFields` as the client sent it, before decoding dropped what is empty: an empty list forgets all owners. */
  readonly sentManagedFields?: (old: JsonObject) => Json | undefined;
  /** Managed fields are part of the change already: server-side apply. Tells what the store keeps hidden of what `change` made last. */
  readonly applied?: () => Applied;
  /** Skips defaulting, checks and admission: the engine's own bookkeeping. */
  readonly isInternal?: boolean;
  /** A missing resourceVersion means "whatever is there", also for kinds that otherwise insist: patches, subresources. */
  readonly isUnconditional?: boolean;
}

const ATTEMPTS = 5;

/** Changes one stored object: carries over what may not change, checks, admits, records who wrote, stores. */
export async function rewrite(api: Api, scope: Scope, params: WriteParams, how: Rewrite): Promise<StoredObject> {
  for (let attempt = 1; ; attempt++) {
    const stored = storedObject(api, scope);
    const old = asJson(scope.version.fromStored(stored));
    const wanted = how.change(old);
    checkPreconditions(scope, wanted, old, how);
    try {
      return await store(api, scope, params, how, stored, old, wanted);
    } catch (error) {
      const isRace = error instanceof StatusError && error.reason === 'Conflict' && error === raceLost(error);
      if (!isRace || metaText(wanted, 'resourceVersion') !== metaText(old, 'resourceVersion') || attempt === ATTEMPTS)
        throw error;
    }
  }
}

function raceLost(error: StatusError): StatusError | undefined {
  return error.message.endsWith(MODIFIED) ? error : undefined;
}

function checkPreconditions(scope: Scope, wanted: JsonObject, old: JsonObject, how: Rewrite): void {
  const { info, rules } = scope.resource;
  const version = metaText(wanted, 'resourceVersion');
  const uid = metaText(wanted, 'uid');
  if (uid !== '' && uid !== metaText(old, 'uid') && how.isUnconditional !== true) {
    const place = `/registry/${registryPath(scope)}`;
    const mismatch = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaText(old, 'uid')}`;
    const why = `StorageError: invalid object, Code: 4, Key: ${place}, ResourceVersion: 0, AdditionalErrorMsg: ${mismatch}`;
    throw conflict(info, scope.name, why);
  }
  if (version === '' || version === '0') {
    if (rules.allowsUnconditionalUpdate || how.isUnconditional === true) return;
    const message = 'Invalid value: 0: must be specified for an update';
    const cause = { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message };
    throw invalid({ group: info.group, kind: info.plural }, scope.name, [cause]);
  }
  if (!/^\d+$/.test(version)) {
    throw new StatusError(500, '', `strconv.ParseUint: parsing ${goQuote(version)}: invalid syntax`);
  }
  if (version !== metaText(old, 'resourceVersion')) throw conflict(info, scope.name, MODIFIED);
}

async function store(
  api: Api,
  scope: Scope,
  params: WriteParams,
  how: Rewrite,
  stored: StoredObject,
  old: JsonObject,
  wanted: JsonObject,
): Promise<StoredObject> {
  const attributes = attributesOf(scope, params, old);
  const carried = carryOver(wanted, old);
  const next = how.isInternal === true ? carried : prepare(api, scope, params, how, old, carried);
  if (how.isInternal !== true) await api.admission.validate({ ...attributes, object: next });
  const current = { resourceVersion: metaText(old, 'resourceVersion') };
  const hidden = how.applied?.().hidden ?? '';
  const whole = withMetadata(next, current);
  // A write that changes nothing but the times of its owners is none.
  const object = hidden === '' ? withoutTimeOnlyChange(old, whole) : whole;
  if (isGone(object)) return removeFinally(api, scope, params, object, stored);
  if (params.isDryRun === true) return asStored(object);
  const revision = Number(stored.metadata.resourceVersion);
  const written = api.store.update(keyOf(scope), asNew(scope.version.toStored(object)), revision, hidden);
  api.admission.admitted({ ...attributes, object: asJson(written) });
  return scope.version.fromStored(written);
}

function prepare(
  api: Api,
  scope: Scope,
  params: WriteParams,
  how: Rewrite,
  old: JsonObject,
  wanted: JsonObject,
): JsonObject {
  const { strategy, resource } = scope.version;
  const { subresource } = scope;
  const attributes = attributesOf(scope, params, old);
  // Fields that admission and the kind's rules change have no manager.
  const owned = how.applied === undefined ? recorded(api, scope, params, how, old, wanted) : wanted;
  const mutated = api.admission.mutate({ ...attributes, object: owned });
  const after = strategy.prepareForUpdate(mutated, old, subresource, timestamp(api.world.clock.now()));
  const causes = strategy.validateUpdate(after, old, subresource);
  if (causes.length > 0) throw invalid(resource, scope.name, causes);
  // A writer of a subresource gets no warnings about the rest of the object.
  const isWhole = subresource === '' || !scope.version.isBuiltin;
  for (const warning of isWhole ? (strategy.warnings?.(after, old) ?? []) : []) scope.warn(warning);
  return after;
}

function attributesOf(scope: Scope, params: WriteParams, old: JsonObject) {
  const options = writeOptions('UpdateOptions', params);
  return { scope, operation: 'UPDATE', old, isDryRun: params.isDryRun === true, options } as const;
}

function recorded(
  api: Api,
  scope: Scope,
  params: WriteParams,
  how: Rewrite,
  old: JsonObject,
  after: JsonObject,
): JsonObject {
  const { apiVersion, schema, resolve, hasStatus, isBuiltin } = scope.version;
  const manager = managerOf(scope, params);
  const now = timestamp(api.world.clock.now());
  const { subresource } = scope;
  const sent = how.sentManagedFields?.(old);
  // Of custom resources only a list with an empty entry makes the server forget all owners.
  const sentManagedFields = !isBuiltin && Array.isArray(sent) && sent.length === 0 ? null : sent;
  const written = { before: old, after, sentManagedFields, manager, apiVersion, subresource, now };
  return recordUpdate({ ...written, schema, resolve, hasStatus });
}

/** What a client left out of the metadata, and what it cannot change, stays as it was. */
function carryOver(wanted: JsonObject, old: JsonObject): JsonObject {
  const before = metadataOf(old);
  const given = metadataOf(wanted);
  return withMetadata(wanted, {
    uid: given['uid'] ?? before['uid'],
    resourceVersion: before['resourceVersion'],
    generation: before['generation'],
    creationTimestamp: before['creationTimestamp'],
    deletionTimestamp: given['deletionTimestamp'] ?? before['deletionTimestamp'],
    deletionGracePeriodSeconds: given['deletionGracePeriodSeconds'] ?? before['deletionGracePeriodSeconds'],
    selfLink: undefined,
  });
}

/** Marked as deleted, without remaining finalizers or grace period. */
function isGone(object: JsonObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadataOf(object);
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizersOf(object).length === 0;
}

function removeFinally(
  api: Api,
  scope: Scope,
  params: WriteParams,
  object: JsonObject,
  stored: StoredObject,
): StoredObject {
  if (params.isDryRun === true || hasNamespaceFinalizer(object)) {
    if (params.isDryRun === true) return asStored(object);
    const revision = Number(stored.metadata.resourceVersion);
    return scope.version.fromStored(api.store.update(keyOf(scope), asNew(scope.version.toStored(object)), revision));
  }
  api.store.delete(keyOf(scope), Number(stored.metadata.resourceVersion));
  return asStored(object);
}

/** Namespaces keep their finalizers in the spec, too. */
function hasNamespaceFinalizer(object: JsonObject): boolean {
  const spec = object['spec'];
  if (object['kind'] !== 'Namespace' || typeof spec !== 'object' || spec === null || !('finalizers' in spec))
    return false;
  return Array.isArray(spec.finalizers) && spec.finalizers.length > 0;
}

/** Where the real server's storage would keep the object; some of its messages name the place. */
function registryPath({ resource, namespace, name }: Scope): string {
  const { group, plural } = resource.info;
  return [...(group.includes('.') ? [group] : []), plural, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
