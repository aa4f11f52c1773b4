import { deepEqual } from '../object/deep-equal.ts';
import { invalid } from '../field/cause.ts';
import { checkPathSegment, checkSubdomainName } from '../field/names.ts';
import { validateMeta, validateMetaUpdate } from '../field/object-meta.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { Schema } from '../object/schema.ts';
import type { Strategy } from '../registry/strategy.ts';
import type { FieldCause } from '../status/status-error.ts';
import { coerceMeta } from './coerce-meta.ts';
import { compileSchema } from './compile-schema.ts';
import type { CrdVersion } from './crd-version.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import { scaleCauses } from './scale-causes.ts';

/** How the objects of one version of a custom resource are cleaned, filled in and checked. Its schema is compiled once, when it is first needed. */
export function createCrdStrategy(version: CrdVersion): Strategy {
  const schema: Schema = version.schema ?? { 'x-kubernetes-preserve-unknown-fields': true };
  const compiled = lazily(() => compileSchema(schema));
  const rules = { isNamespaced: version.isNamespaced, checkName: checkSubdomainName, checksGenerateName: true };
  const typeCauses = (object: JsonObject) => checkType(object, version);
  return {
    prune: (object) => {
      const meta = coerceMeta(object, version);
      const { object: pruned, dropped } = compiled().prune(meta.object);
      return { object: pruned, dropped: [...dropped, ...meta.dropped].toSorted() };
    },
    applyDefaults: (object) => compiled().applyDefaults(object),
    fillDefaults: (object) => compiled().fillDefaults(object),
    prepareForCreate: (object) => {
      const { status, ...rest } = object;
      // What is stored has the defaults of a status, whatever was sent.
      const kept = version.hasStatus && status !== undefined ? compiled().fillDefaults(rest) : object;
      return { ...kept, metadata: { ...metaOf(kept), generation: 1 } };
    },
    prepareForUpdate: (object, old, subresource) =>
      subresource === 'status' ? takeStatus(object, old) : keepStatus(object, old, version.hasStatus),
    validateCreate: (object) => {
      const wrongType = typeCauses(object);
      if (wrongType.length > 0) return wrongType;
      return compiled().validate(
        object,
        undefined,
        validateMeta(metaOf(object), rules),
        scaleCauses(object, version.scale),
      );
    },
    validateUpdate: (object, old, subresource) => {
      // Metadata are checked for all kinds alike, then once more with the object.
      const changed = validateMetaUpdate(metaOf(object), metaOf(old));
      const common = [...validateMeta(metaOf(object), { ...rules, checkName: checkPathSegment }), ...changed];
      const wrongType = typeCauses(object);
      if (wrongType.length > 0) return [...common, ...wrongType];
      const meta = [...common, ...changed];
      const scale = scaleCauses(object, version.scale, subresource === 'status');
      if (subresource === 'status') return compiled().validateStatus(object, old, meta, scale);
      return compiled().validate(object, old, meta, scale);
    },
    warnings: (object, old) => finalizerWarnings(metaOf(object), old === undefined ? undefined : metaOf(old)),
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function checkType(object: JsonObject, { group, name, kind }: CrdVersion): readonly FieldCause[] {
  const causes: FieldCause[] = [];
  const apiVersion = `${group}/${name}`;
  if (object['kind'] !== kind) causes.push(invalid('kind', object['kind'] ?? '', `must be ${kind}`));
  if (object['apiVersion'] !== apiVersion) {
    causes.push(invalid('apiVersion', object['apiVersion'] ?? '', `must be ${apiVersion}`));
  }
  return causes;
}

/** An update of the status changes nothing else. */
function takeStatus(object: JsonObject, old: JsonObject): JsonObject {
  const { status: _, ...rest } = old;
  const { managedFields, resourceVersion } = metaOf(object);
  const metadata = {
    ...metaOf(old),
    ...(managedFields === undefined ? {} : { managedFields }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const status = object['status'];
  return { ...rest, metadata, ...(status === undefined ? {} : { status }) };
}

/** An update of the object leaves a status that has a subresource of its own as it was; other changes count as a new generation. */
function keepStatus(object: JsonObject, old: JsonObject, hasStatus: boolean): JsonObject {
  const { status, ...rest } = object;
  const kept: Json | undefined = hasStatus ? old['status'] : status;
  const next: JsonObject = kept === undefined ? rest : { ...rest, status: kept };
  if (deepEqual(withoutMeta(next), withoutMeta(old))) return next;
  const { generation } = metaOf(old);
  return { ...next, metadata: { ...metaOf(next), generation: (typeof generation === 'number' ? generation : 0) + 1 } };
}

function withoutMeta(object: JsonObject): JsonObject {
  const { metadata: _, ...rest } = object;
  return rest;
}

function metaOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isObject(metadata) ? metadata : {};
}
