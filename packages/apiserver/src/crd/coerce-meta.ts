import { decodeAs } from '../builtin/decode.ts';
import { DecodeError } from '../builtin/decode-error.ts';
import { shapeOf } from '../builtin/shape.ts';
import type { JsonObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import type { CrdVersion } from './crd-version.ts';
import type { Pruned } from './prune.ts';

/** Reads the metadata of a custom resource as Go reads any object's: what they do not have falls away, what has the wrong type is an error. */
export function coerceMeta(object: JsonObject, { kind, name }: Pick<CrdVersion, 'kind' | 'name'>): Pruned {
  const { metadata } = object;
  if (metadata === undefined) return { object, dropped: [] };
  try {
    const { value, unknown } = decodeAs(shapeOf('meta.ObjectMeta'), metadata);
    return { object: { ...object, metadata: value }, dropped: unknown.map((path) => `metadata.${path}`) };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const message = `${kind} in version "${name}" cannot be handled as a ${kind}: ${error.message}`;
    throw new StatusError(400, 'BadRequest', message);
  }
}
