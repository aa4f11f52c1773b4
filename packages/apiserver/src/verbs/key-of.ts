import type { StoreKey } from '../store/contract.ts';
import type { Scope } from '../requests/request.ts';

/** Where the object of a request lies. */
export function keyOf({ resource, namespace, name }: Scope, otherName?: string): StoreKey {
  return {
    resource: resource.storedAs,
    namespace: resource.info.isNamespaced ? namespace : '',
    name: otherName ?? name,
  };
}
