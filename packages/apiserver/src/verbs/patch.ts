import { timestamp } from '@manta/api';
import { forbidden, required } from '../field/cause.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  jsonPatchWarnings,
  mergedPatch,
  serverSideApply,
  undecodableResult,
} from '../patch/index.ts';
import { cannotUnmarshal } from '../patch/patch-errors.ts';
import { type FieldCause, StatusError } from '../status/status-error.ts';
import type { Api } from '../api.ts';
import { badRequest, invalid } from '../status/errors.ts';
import { metaText } from '../object/metadata.ts';
import type { Scope, WriteParams } from '../requests/request.ts';
import { type Applied, createDecoded, placed } from './create.ts';
import { decodeBody } from './decode-body.ts';
import { storedObject } from './get.ts';
import { keyOf } from './key-of.ts';
import { rewrite } from './rewrite.ts';
import { managedFieldsIn, named, type Updated } from './update.ts';
import { withoutHiddenFields } from './hidden-fields.ts';

/** The four ways to patch. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** Query parameters of a patch. */
export interface PatchParams extends WriteParams {
  readonly isForced?: boolean;
}

/** Changes an object as a patch says; an apply of what does not exist creates it. */
export async function patchObject(
  api: Api,
  scope: Scope,
  type: PatchType,
  body: unknown,
  params: PatchParams = {},
): Promise<Updated> {
  if (type === 'apply') return await applyObject(api, scope, body, params);
  if (params.isForced === true) throw invalidOptions(forbidden('force', 'may not be specified for non-apply patch'));
  if (type === 'json') for (const warning of jsonPatchWarnings(body)) scope.warn(warning);
  // NotFound comes before complaints about the patch.
  storedObject(api, scope);
  const { schema, resolve } = scope.version;
  const change = (old: JsonObject) => {
    const object = patched(scope, type, old, body);
    return decodePatched(scope, old, object, params, (why) =>
      type === 'strategic' && isObject(body)
        ? undecodableResult(type, mergedPatch(old, body, schema, resolve), conversionError(scope, object, why))
        : undecodableResult(type, object, firstMisfit(scope, object, params, why)),
    );
  };
  const sentManagedFields = (old: JsonObject) => managedFieldsIn(patched(scope, type, old, body));
  const object = await rewrite(api, scope, params, { change, sentManagedFields, isUnconditional: true });
  return { object, isCreated: false };
}

function patched(scope: Scope, type: Exclude<PatchType, 'apply'>, old: JsonObject, body: unknown): JsonObject {
  const { schema, resolve } = scope.version;
  switch (type) {
    case 'json': {
      const result = applyJsonPatch(old, body);
      if (!isObject(result)) throw new StatusError(422, 'Invalid', 'the patch leaves no object');
      return result;
    }
    case 'merge':
      return applyMergePatch(old, body);
    case 'strategic':
      return applyStrategicMergePatch(old, body, schema, resolve);
  }
}

/** What the patch made of the object is read like any object, but what is wrong with it is the patch's fault. */
function decodePatched(
  scope: Scope,
  old: JsonObject,
  object: JsonObject,
  params: WriteParams,
  toError: (why: string) => StatusError,
): JsonObject {
  const decoded = decodeOr(toError, () => decodeBody(scope, object, params));
  for (const what of ['name', 'namespace'] as const) {
    const [now, before] = [metaText(decoded, what), metaText(old, what)];
    if (now !== before) {
      throw badRequest(
        what === 'name'
          ? `the name of the object (${now}) does not match the name on the URL (${before})`
          : `the namespace of the object (${now}) does not match the namespace on the request (${before})`,
      );
    }
  }
  return decoded;
}

/** Strategic patches and applied objects are read without JSON: what fails there first may be another thing, and has other words. */
function conversionError({ version }: Scope, object: JsonObject, otherwise: string): string {
  return version.strategy.conversionError?.(object) ?? otherwise;
}

/** Of several values that do not fit the server names the first in the order of keys, as it has written the patched object. */
function firstMisfit(scope: Scope, object: JsonObject, params: WriteParams, otherwise: string): string {
  try {
    decodeBody({ ...scope, warn: () => undefined }, sortKeys(object), params);
    return otherwise;
  } catch (error) {
    return error instanceof StatusError ? reasonOf(error) : otherwise;
  }
}

function sortKeys(object: JsonObject): JsonObject {
  const sorted = Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, value]) => [key, sortAll(value)]));
}

function sortAll(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortAll);
  return isObject(value) ? sortKeys(value) : value;
}

function reasonOf({ message }: StatusError): string {
  return /cannot be handled as an? \S+: (.*)$/s.exec(message)?.[1] ?? message;
}

/** Where decoding fails, the error is made from its reason alone. */
function decodeOr<T>(toError: (why: string) => StatusError, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    throw toError(reasonOf(error));
  }
}

async function applyObject(api: Api, scope: Scope, body: unknown, params: PatchParams): Promise<Updated> {
  checkApplied(body, params);
  const live = api.store.get(keyOf(scope));
  if (live === undefined) {
    if (scope.subresource !== '') storedObject(api, scope);
    const merged = merge(api, scope, undefined, body, params);
    const { shown, hidden } = withoutHiddenFields(scope, merged);
    const decoded = decodeMerged(scope, shown, params);
    return { object: await createDecoded(api, scope, decoded, params, { hidden }), isCreated: true };
  }
  let applied: Applied = { hidden: '' };
  const change = (old: JsonObject) => {
    const { shown, hidden } = withoutHiddenFields(scope, merge(api, scope, old, body, params));
    applied = { hidden };
    return decodeMerged(scope, shown, params);
  };
  const object = await rewrite(api, scope, params, { change, applied: () => applied, isUnconditional: true });
  return { object, isCreated: false };
}

/** What an apply makes of an object is read like any object; where that fails, the real server has only a 500 for it. */
function decodeMerged(scope: Scope, merged: JsonObject, params: PatchParams): JsonObject {
  const { resource, apiVersion, strategy } = scope.version;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const type = `${group}/${version}, Kind=${resource.kind}`;
  const toError = (why: string) => {
    const cause = `unable to convert unstructured object to ${type}: ${conversionError(scope, merged, why)}`;
    return new StatusError(
      500,
      '',
      `failed to convert new object (/${metaText(merged, 'name')}; ${type}) to proper version: ${cause}`,
    );
  };
  // What was applied fits the schema already. Of custom resources the null that a removal may leave is for the checks to refuse.
  const decode = () => strategy.fillDefaults?.(merged) ?? decodeBody(scope, merged, params);
  return named(scope, placed(scope, decodeOr(toError, decode)));
}

function checkApplied(body: unknown, params: PatchParams): void {
  if ((params.fieldManager ?? '') === '') throw invalidOptions(required('fieldManager', 'is required for apply patch'));
  if (body === null || body === undefined) throw badRequest('invalid object type: /, Kind=');
  if (!isObject(body)) {
    const why = cannotUnmarshal(body, 'value of type map[string]interface {}');
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
}

function invalidOptions(cause: FieldCause): StatusError {
  return invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [cause]);
}

function merge(
  api: Api,
  scope: Scope,
  live: JsonObject | undefined,
  applied: unknown,
  params: PatchParams,
): JsonObject {
  const { apiVersion, schema, resolve, hasStatus, resource } = scope.version;
  return serverSideApply({
    kind: resource.kind,
    hasStatus,
    live,
    applied: isObject(applied) ? applied : {},
    manager: params.fieldManager ?? '',
    force: params.isForced === true,
    schema,
    resolve,
    now: timestamp(api.world.clock.now()),
    apiVersion,
    subresource: scope.subresource,
  });
}
