import type { Api } from '../api.ts';
import { ADMIN } from '../auth/user.ts';
import { BOOTSTRAP_OBJECTS } from './bootstrap-objects.ts';
import type { Scope } from '../requests/request.ts';
import { createObject } from '../verbs/create.ts';
import { keyOf } from '../verbs/key-of.ts';

/** Creates what every cluster has from the start, as far as it is not there: namespaces and the roles that clients rely on. */
export async function bootstrap(api: Api): Promise<void> {
  for (const { group, plural, namespace = '', object } of BOOTSTRAP_OBJECTS) {
    const found = api.registry.find(group, 'v1', plural);
    if (found === undefined) continue;
    const scope: Scope = {
      ...found,
      namespace,
      name: '',
      subresource: '',
      user: ADMIN,
      userAgent: 'kube-apiserver',
      warn: () => undefined,
    };
    const { name } = object.metadata;
    if (api.store.get(keyOf(scope, name)) === undefined) await createObject(api, scope, object);
  }
  // No client can have watched before, so the history of these writes is dropped.
  api.store.compact(api.store.revision);
}
