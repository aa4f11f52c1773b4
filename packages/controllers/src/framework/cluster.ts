import type { KubeObject } from '@manta/api';
import type { KubeClient, ResourceType } from '@manta/kube';
import {
  type EngineWorld,
  type ResourceInfo,
  type ResourceName,
  resourceName,
  type Store,
  type StoredMeta,
  type StoreKey,
} from '@manta/apiserver';

/**
 * What the controllers work on. They read the store itself, so what they see is never stale and nothing needs to be waited for; they
 * write through the API, so that defaults, checks, quotas, grace periods and field managers apply to them as to anybody.
 */
export interface Cluster {
  readonly world: EngineWorld;
  readonly store: Store;
  readonly writes: Writes;
  /** What is served right now, custom resources included. */
  readonly resources: () => readonly ResourceInfo[];
  /** Called for every failed reconcile; the controller retries automatically. */
  readonly onError?: (controller: string, key: string, error: unknown) => void;
}

/** The part of a client that controllers use. */
export type Writes = Pick<KubeClient, 'create' | 'update' | 'patch' | 'delete' | 'post'>;

/** An object out of the store: what the server fills in is there. */
export type Stored<T extends KubeObject> = T & { readonly metadata: StoredMeta };

/** The name under which the store keeps a kind. */
export function nameOf({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): ResourceName {
  return resourceName({ group, plural });
}

/** The object as it is now; `namespace` is empty for cluster-scoped kinds. */
export function readOne<T extends KubeObject>(
  store: Store,
  type: ResourceType<T>,
  namespace: string,
  name: string,
): Stored<T> | undefined {
  // What is stored under a kind's name was checked against its schema.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return store.get({ resource: nameOf(type), namespace, name }) as Stored<T> | undefined;
}

/** All objects of a kind as they are now, in one namespace or in all. */
export function readAll<T extends KubeObject>(
  store: Store,
  type: ResourceType<T>,
  namespace?: string,
): readonly Stored<T>[] {
  // As above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return store.list(nameOf(type), namespace === undefined ? {} : { namespace }) as unknown as readonly Stored<T>[];
}

/** `namespace/name`, the key of namespaced objects in queues. */
export function joinKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** The parts of a `namespace/name`. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const at = key.indexOf('/');
  return { namespace: key.slice(0, at), name: key.slice(at + 1) };
}

/** Where a resource's objects are written to, in its storage version. */
export function typeOf(info: ResourceInfo): ResourceType {
  const { group, plural, kind, isNamespaced, storageVersion } = info;
  return { group, version: storageVersion, plural, kind, isNamespaced };
}

/** What a client needs to name a stored object. */
export function refOf(key: Pick<StoreKey, 'namespace' | 'name'>): {
  readonly name: string;
  readonly namespace?: string;
} {
  return key.namespace === '' ? { name: key.name } : { name: key.name, namespace: key.namespace };
}
