import { timestamp } from '@manta/api';
import { ownValue } from '@manta/base';
import { deepEqual } from '../object/deep-equal.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { recordUpdate } from '../patch/index.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { writeOptions } from '../admission/options.ts';
import type { Api } from '../api.ts';
import { badRequest, invalid } from '../status/errors.ts';
import { managerOf } from '../object/field-manager.ts';
import { generateName } from '../object/generate-name.ts';
import { metadataOf, metaText, withMetadata } from '../object/metadata.ts';
import type { Scope, WriteParams } from '../requests/request.ts';
import { asJson, asNew, asStored } from '../object/stored-json.ts';
import { decodeBody } from './decode-body.ts';
import { keyOf } from './key-of.ts';

const NAME_ATTEMPTS = 8;

/** Creates an object from what a client sent. */
export async function createObject(
  api: Api,
  scope: Scope,
  body: unknown,
  params: WriteParams = {},
): Promise<StoredObject> {
  const decoded = placed(scope, decodeBody(scope, body, params));
  if (metaText(decoded, 'resourceVersion') !== '') {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  return await createDecoded(api, scope, decoded, params);
}

/** How an applied object comes: with its managed fields, and with what the store keeps hidden. */
export interface Applied {
  readonly hidden: string;
}

/** Creates a decoded object. */
export async function createDecoded(
  api: Api,
  scope: Scope,
  decoded: JsonObject,
  params: WriteParams,
  applied?: Applied,
): Promise<StoredObject> {
  const isGenerated = metaText(decoded, 'name') === '' && metaText(decoded, 'generateName') !== '';
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOnce(api, scope, decoded, params, applied);
    } catch (error) {
      const isTaken = error instanceof StatusError && error.reason === 'AlreadyExists';
      if (!isTaken || !isGenerated || attempt === NAME_ATTEMPTS) throw error;
    }
  }
}

async function createOnce(
  api: Api,
  scope: Scope,
  decoded: JsonObject,
  params: WriteParams,
  applied: Applied | undefined,
): Promise<StoredObject> {
  const { strategy } = scope.version;
  const named = withIdentity(api, decoded);
  const options = writeOptions('CreateOptions', params);
  const attributes = { scope, operation: 'CREATE', isDryRun: params.isDryRun === true, options } as const;
  // Fields that admission and the kind's defaults add have no manager.
  const owned = applied === undefined ? recordCreate(api, scope, named, params) : named;
  const mutated = api.admission.mutate({ ...attributes, object: owned });
  const object = strategy.prepareForCreate(mutated, timestamp(api.world.clock.now()));
  const causes = strategy.validateCreate(object);
  if (causes.length > 0) throw invalid(kindOf(scope, object), metaText(object, 'name'), causes);
  for (const warning of strategy.warnings?.(object, undefined) ?? []) scope.warn(warning);
  await api.admission.validate({ ...attributes, object });
  const key = keyOf(scope, metaText(object, 'name'));
  if (params.isDryRun === true) {
    if (api.store.get(key) !== undefined) api.store.create(key, asNew(object));
    return asStored(object);
  }
  const stored = api.store.create(key, asNew(scope.version.toStored(object)), applied?.hidden);
  api.admission.admitted({ ...attributes, object: asJson(stored) });
  return scope.version.fromStored(stored);
}

function blank({ version }: Scope): JsonObject {
  if (!version.isBuiltin) return {};
  return version.strategy.prune({ apiVersion: version.apiVersion, kind: version.resource.kind }).object;
}

function withoutBlank(object: JsonObject, empty: JsonObject): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]): [string, Json][] => {
    if (key === 'apiVersion' || key === 'kind' || key === 'metadata') return [[key, value]];
    const known = ownValue(empty, key);
    if (known !== undefined && deepEqual(value, known)) return [];
    return [[key, isObject(value) && isObject(known) ? withoutBlank(value, known) : value]];
  });
  return Object.fromEntries(entries);
}

/** Errors name the kind that the object claims to be. */
function kindOf({ version }: Scope, object: JsonObject): { readonly group: string; readonly kind: string } {
  const { kind } = object;
  return { group: version.resource.group, kind: typeof kind === 'string' ? kind : version.resource.kind };
}

/** The creator owns the fields it set; fields of every empty object of the kind have no owner. */
function recordCreate(api: Api, scope: Scope, object: JsonObject, params: WriteParams): JsonObject {
  const { apiVersion, schema, resolve, hasStatus } = scope.version;
  const manager = managerOf(scope, params);
  const now = timestamp(api.world.clock.now());
  const after = withoutBlank(object, blank(scope));
  const common = { before: undefined, manager, apiVersion, subresource: '', now, schema, resolve, hasStatus };
  return withMetadata(object, { managedFields: metadataOf(recordUpdate({ ...common, after }))['managedFields'] });
}

/** Puts the object into the request's namespace and under its name; what contradicts them is refused. */
export function placed(scope: Scope, object: JsonObject): JsonObject {
  const { isNamespaced } = scope.resource.info;
  const namespace = metaText(object, 'namespace');
  if (isNamespaced && namespace !== '' && namespace !== scope.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return isNamespaced ? withMetadata(object, { namespace: scope.namespace }) : object;
}

function withIdentity(api: Api, object: JsonObject): JsonObject {
  const { world } = api;
  const prefix = metaText(object, 'generateName');
  const name = metaText(object, 'name') || (prefix === '' ? '' : generateName(prefix, world.random));
  return withMetadata(object, {
    ...(name === '' ? {} : { name }),
    uid: world.newUid(),
    creationTimestamp: timestamp(world.clock.now()),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    generation: undefined,
    selfLink: undefined,
  });
}
