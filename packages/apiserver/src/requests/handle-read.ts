import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { noSuchPath } from '../status/errors.ts';
import type { Scope } from './request.ts';
import { isConnection } from '../subresources/connect.ts';
import { readScale } from '../subresources/scale.ts';
import { getObject } from '../verbs/get.ts';

/** GET of an object or of a subresource that shows one. */
export function handleRead(api: Api, scope: Scope, resourceVersion = ''): StoredObject {
  // What a running pod streams is for the HTTP front end to connect.
  if (isConnection(scope)) throw noSuchPath();
  return scope.subresource === 'scale' ? readScale(api, scope) : getObject(api, scope, resourceVersion);
}
