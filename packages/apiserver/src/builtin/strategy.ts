import { deepEqual } from '../object/deep-equal.ts';
import { checkPathSegment } from '../field/names.ts';
import { validateFinalizerDomains, validateMeta, validateMetaUpdate } from '../field/object-meta.ts';
import { isObject, type JsonObject } from '../object/json.ts';
import type { Strategy } from '../registry/strategy.ts';
import { StatusError } from '../status/status-error.ts';
import { conversionError, decodeAs } from './decode.ts';
import { DecodeError } from './decode-error.ts';
import { fillDefaults } from './defaults/fill.ts';
import type { BuiltinKind } from './kind.ts';
import { keepStatus } from './prepare/keep-status.ts';
import { metaOf, number, part, without } from './read.ts';
import { shapeOf } from './shape.ts';

/** How the objects of a built-in kind are read, filled in and checked. */
export function createBuiltinStrategy(kind: BuiltinKind): Strategy {
  const rules = { isNamespaced: kind.isNamespaced, checkName: kind.checkName, checksGenerateName: true };
  const validate = kind.validate ?? (() => []);
  const finalizers = (object: JsonObject) => (kind.checksFinalizers ? validateFinalizerDomains(metaOf(object)) : []);
  return {
    prune: (object) => read(kind, object),
    conversionError: (object) => conversionError(shapeOf(kind.type), object)?.message,
    applyDefaults: (object) => fillDefaults(kind.type, kind.fold?.(object) ?? object),
    prepareForCreate: (object, now) => {
      const prepared = kind.prepareForCreate?.(object, now) ?? object;
      return kind.hasGeneration ? { ...prepared, metadata: { ...metaOf(prepared), generation: 1 } } : prepared;
    },
    prepareForUpdate: (object, old, subresource, now) => {
      const prepared = kind.prepareForUpdate?.(object, old, subresource, now) ?? keepStatus(object, old, subresource);
      return kind.hasGeneration ? withGeneration(prepared, old, kind.countsLabels === true) : prepared;
    },
    warnings: (object, old) => kind.warnings?.(object, old) ?? [],
    validateCreate: (object) => {
      const first = kind.checkFirst?.(object) ?? [];
      if (first.length > 0) return first;
      return [...validateMeta(metaOf(object), rules), ...finalizers(object), ...validate(object)];
    },
    validateUpdate: (object, old, subresource) => {
      const first = subresource === '' ? (kind.checkFirst?.(object) ?? []) : [];
      if (first.length > 0) return first;
      // Metadata are checked for all kinds alike, then once more with the object, by some kinds even twice.
      const changed = validateMetaUpdate(metaOf(object), metaOf(old));
      const common = validateMeta(metaOf(object), { ...rules, checkName: checkPathSegment });
      const again =
        kind.checksMetaTwice === true && subresource === ''
          ? [...validateMeta(metaOf(object), rules), ...finalizers(object)]
          : [];
      const own = kind.validateUpdate?.(object, old, subresource) ?? validate(object);
      return [...common, ...changed, ...changed, ...finalizers(object), ...again, ...own];
    },
  };
}

function read(kind: BuiltinKind, object: JsonObject): ReturnType<Strategy['prune']> {
  try {
    const { value, unknown } = decodeAs(shapeOf(kind.type), object);
    return { object: isObject(value) ? value : object, dropped: unknown };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const name = kind.kind;
    throw new StatusError(
      400,
      'BadRequest',
      `${name} in version "v1" cannot be handled as a ${name}: ${error.message}`,
    );
  }
}

/** Any change of anything but metadata and status is a new generation. */
function withGeneration(object: JsonObject, old: JsonObject, countsLabels: boolean): JsonObject {
  const before = number(metaOf(old), 'generation') ?? 0;
  const isChanged =
    !deepEqual(without(object, 'metadata', 'status'), without(old, 'metadata', 'status')) ||
    (countsLabels && !deepEqual(part(metaOf(object), 'labels') ?? {}, part(metaOf(old), 'labels') ?? {}));
  return { ...object, metadata: { ...metaOf(object), generation: isChanged ? before + 1 : before } };
}
