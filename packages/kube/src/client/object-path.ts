import type { ObjectRef } from './client.ts';
import { pathOf, type ResourceType } from '../resource-type.ts';

/**
 * The path of one object. A missing name would address the whole collection (a DELETE of everything), a missing namespace another
 * resource: both are mistakes of the caller and throw.
 */
export function objectPath(type: ResourceType, ref: ObjectRef, subresource?: string): string {
  if (!ref.name) throw new TypeError(`A ${type.kind} was asked for without a name`);
  if (type.isNamespaced && !ref.namespace)
    throw new TypeError(`${type.kind} ${ref.name} was asked for without a namespace`);
  return pathOf(type, ref.namespace, ref.name, subresource);
}
