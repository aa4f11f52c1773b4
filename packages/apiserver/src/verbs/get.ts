import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { notFound } from '../status/errors.ts';
import type { Scope } from '../requests/request.ts';
import { requireRevision } from '../object/resource-version.ts';
import { keyOf } from './key-of.ts';

/** Reads one object as the asked version shows it. */
export function getObject(api: Api, scope: Scope, resourceVersion = ''): StoredObject {
  requireRevision(api.store, resourceVersion, '');
  return scope.version.fromStored(storedObject(api, scope));
}

/** The object as it is stored; throws NotFound. */
export function storedObject(api: Api, scope: Scope): StoredObject {
  const object = api.store.get(keyOf(scope));
  if (object === undefined) throw notFound(scope.resource.info, scope.name);
  return object;
}
