import type { JsonObject } from '../../object/json.ts';
import { metaOf, without } from '../read.ts';

/** A status is changed through its subresource alone, and nothing else is changed there. */
export function keepStatus(object: JsonObject, old: JsonObject, subresource: string): JsonObject {
  const source = subresource === 'status' ? object : old;
  const target = subresource === 'status' ? { ...old, metadata: metaOf(object) } : object;
  const status = source['status'];
  return status === undefined ? without(target, 'status') : { ...target, status };
}
