import type { KubeObject } from '@manta/api';
import type { ObjectRef } from '@manta/kube';

/** `namespace/name`, or just `name` for what lives in no namespace: how stores and queues name an object. */
export type ObjectKey = string;

/** The key of an object that has a name. */
export function keyOf(object: KubeObject): ObjectKey {
  return toKey(object.metadata?.namespace, object.metadata?.name ?? '');
}

/** Joins the two parts of a key; an empty namespace means none. */
export function toKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The two parts of a key. */
export function refOf(key: ObjectKey): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The namespace of a key, absent for what lives in none. */
export function namespaceOf(key: ObjectKey): string | undefined {
  const slash = key.indexOf('/');
  return slash < 0 ? undefined : key.slice(0, slash);
}
