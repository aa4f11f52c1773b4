import type { StoredObject } from '../stored-object.ts';
import type { Api } from './api.ts';
import { noSuchPath } from './errors.ts';
import type { Scope } from './request.ts';
import { readScale } from './subresources/scale.ts';
import { getObject } from './verbs/get.ts';

/** GET of an object or of a subresource that shows one. */
export function handleRead(api: Api, scope: Scope, resourceVersion = ''): StoredObject {
  switch (scope.subresource) {
    case '':
      return getObject(api, scope, resourceVersion);
    case 'status':
      if (!scope.version.hasStatus) throw noSuchPath();
      return getObject(api, scope, resourceVersion);
    case 'ephemeralcontainers':
    case 'resize':
      return getObject(api, scope, resourceVersion);
    case 'scale':
      return readScale(api, scope);
    default:
      throw noSuchPath();
  }
}
