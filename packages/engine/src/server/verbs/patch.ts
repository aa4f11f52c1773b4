import { forbidden, invalid as invalidValue, required } from '../../field/cause.ts';
import { isObject, type JsonObject } from '../../json.ts';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  jsonPatchWarnings,
  serverSideApply,
} from '../../patch/index.ts';
import { type FieldCause, StatusError } from '../../status-error.ts';
import type { Api } from '../api.ts';
import { badRequest, invalid } from '../errors.ts';
import { metaText, timestamp } from '../metadata.ts';
import type { Scope, WriteParams } from '../request.ts';
import { createDecoded, placed } from './create.ts';
import { decodeBody } from './decode-body.ts';
import { storedObject } from './get.ts';
import { keyOf } from './key-of.ts';
import { rewrite } from './rewrite.ts';
import type { Updated } from './update.ts';

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
  const change = (old: JsonObject) => decodePatched(scope, old, patched(scope, type, old, body), params);
  const object = await rewrite(api, scope, params, { change, isUnconditional: true });
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
function decodePatched(scope: Scope, old: JsonObject, object: JsonObject, params: WriteParams): JsonObject {
  const decoded = asPatchError(object, () => decodeBody(scope, object, params));
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

function asPatchError<T>(object: JsonObject, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    const why = /cannot be handled as an? \S+: (.*)$/s.exec(error.message)?.[1] ?? error.message;
    throw invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(object), why)]);
  }
}

async function applyObject(api: Api, scope: Scope, body: unknown, params: PatchParams): Promise<Updated> {
  if (!isObject(body)) throw badRequest('error decoding YAML: the body must be an object');
  const applied = checkApplied(scope, body, params);
  const live = api.store.get(keyOf(scope));
  if (live === undefined) {
    if (scope.subresource !== '') storedObject(api, scope);
    const merged = decodeBody(scope, merge(api, scope, undefined, applied, params), params);
    return { object: await createDecoded(api, scope, placed(scope, merged), params, true), isCreated: true };
  }
  const change = (old: JsonObject) => decodeBody(scope, merge(api, scope, old, applied, params), params);
  const object = await rewrite(api, scope, params, { change, isApplied: true, isUnconditional: true });
  return { object, isCreated: false };
}

function checkApplied(scope: Scope, body: JsonObject, params: PatchParams): JsonObject {
  if ((params.fieldManager ?? '') === '') throw invalidOptions(required('fieldManager', 'is required for apply patch'));
  const name = metaText(body, 'name');
  if (name === '') {
    throw badRequest(`the name of the object (${scope.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== scope.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${scope.name})`);
  }
  if (metaText(body, 'managedFields') !== '' || isSet(body, 'managedFields')) {
    throw badRequest('metadata.managedFields must be nil');
  }
  return placed(scope, body);
}

function invalidOptions(cause: FieldCause): StatusError {
  return invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [cause]);
}

function isSet(body: JsonObject, key: string): boolean {
  const metadata = body['metadata'];
  return isObject(metadata) && Array.isArray(metadata[key]) && metadata[key].length > 0;
}

function merge(
  api: Api,
  scope: Scope,
  live: JsonObject | undefined,
  applied: JsonObject,
  params: PatchParams,
): JsonObject {
  const { apiVersion, schema, resolve, hasStatus, resource } = scope.version;
  return serverSideApply({
    kind: resource.kind,
    hasStatus,
    live,
    applied,
    manager: params.fieldManager ?? '',
    force: params.isForced === true,
    schema,
    resolve,
    now: timestamp(api.world.clock.now()),
    apiVersion,
    subresource: scope.subresource,
  });
}
