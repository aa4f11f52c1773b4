import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { noSuchPath } from '../status/errors.ts';
import type { Scope } from '../requests/request.ts';
import { storedObject } from '../verbs/get.ts';

/** Issues a token for a service account. */
export function requestToken(api: Api, scope: Scope, body: unknown): StoredObject {
  const account = storedObject(api, scope);
  if (api.tokens === undefined) throw noSuchPath();
  return api.tokens.issue(account, body);
}
