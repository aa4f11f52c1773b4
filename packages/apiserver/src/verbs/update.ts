import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { badRequest } from '../status/errors.ts';
import { metaText, withMetadata } from '../object/metadata.ts';
import type { Scope, WriteParams } from '../requests/request.ts';
import { createDecoded, placed } from './create.ts';
import { decodeBody } from './decode-body.ts';
import { keyOf } from './key-of.ts';
import { rewrite } from './rewrite.ts';

/** What an update did. */
export interface Updated {
  readonly object: StoredObject;
  readonly isCreated: boolean;
}

/** Replaces an object, or a subresource of it, by what a client sent. */
export async function updateObject(api: Api, scope: Scope, body: unknown, params: WriteParams = {}): Promise<Updated> {
  const decoded = named(scope, placed(scope, decodeBody(scope, body, params)));
  const exists = api.store.get(keyOf(scope)) !== undefined;
  if (!exists && scope.subresource === '' && scope.resource.rules.allowsCreateOnUpdate) {
    // A version or uid of an object that does not exist means nothing.
    const fresh = withMetadata(decoded, { resourceVersion: undefined, uid: undefined });
    return { object: await createDecoded(api, scope, fresh, params), isCreated: true };
  }
  const sentManagedFields = () => managedFieldsIn(body);
  const object = await rewrite(api, scope, params, { change: () => decoded, sentManagedFields });
  return { object, isCreated: false };
}

/** `metadata.managedFields` of a body as it was sent. */
export function managedFieldsIn(body: unknown): Json | undefined {
  const metadata = isObject(body) ? body['metadata'] : undefined;
  return isObject(metadata) ? metadata['managedFields'] : undefined;
}

/** Refuses an object of another name than the path's. */
export function named(scope: Scope, object: JsonObject): JsonObject {
  const name = metaText(object, 'name');
  if (name === '') {
    throw badRequest(`the name of the object (${scope.name} based on URL) was undeterminable: name must be provided`);
  }
  if (name !== scope.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${scope.name})`);
  }
  return object;
}
