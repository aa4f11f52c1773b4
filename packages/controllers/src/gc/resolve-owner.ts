import type { OwnerReference } from '@manta/api';
import { type ResourceInfo, resourceName, type Store, type StoredObject, type StoreKey } from '@manta/apiserver';

/** What an owner reference comes to. */
export type Owner =
  | { readonly state: 'present'; readonly object: StoredObject }
  /** No object of that name, or one with another uid. */
  | { readonly state: 'absent' }
  /** Unknown, because the kind is not served. */
  | { readonly state: 'unknown-kind' }
  /** A cluster-scoped object cannot be owned by something inside a namespace. */
  | { readonly state: 'out-of-scope' };

/** Looks an owner up where the dependent says it is: in the dependent's own namespace. */
export function resolveOwner(
  store: Store,
  resources: readonly ResourceInfo[],
  reference: OwnerReference,
  dependent: StoreKey,
): Owner {
  const info = resourceOf(resources, reference);
  if (info === undefined) return { state: 'unknown-kind' };
  if (info.isNamespaced && dependent.namespace === '') return { state: 'out-of-scope' };
  const namespace = info.isNamespaced ? dependent.namespace : '';
  const object = store.get({ resource: resourceName(info), namespace, name: reference.name });
  return object?.metadata.uid === reference.uid ? { state: 'present', object } : { state: 'absent' };
}

/** The resource that serves a reference's kind in the version that it names. */
function resourceOf(
  resources: readonly ResourceInfo[],
  { apiVersion, kind }: OwnerReference,
): ResourceInfo | undefined {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return resources.find(
    (info) => info.kind === kind && info.group === group && info.versions.some((served) => served === version),
  );
}
