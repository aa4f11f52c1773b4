import { deepEqual } from '../object/deep-equal.ts';
import { checkSubdomainName } from '../field/names.ts';
import { validateMeta, validateMetaUpdate } from '../field/object-meta.ts';
import type { Json, JsonObject } from '../object/json.ts';
import type { ResourceInfo } from '../object/resource-info.ts';
import { metadataOf, withMetadata } from '../object/metadata.ts';
import type { ResourceRules } from './served-resource.ts';
import type { Strategy } from './strategy.ts';

/** What all built-in kinds have in common: status has a door of its own, generations count changes, metadata is checked. */
export function genericStrategy(info: ResourceInfo, rules: ResourceRules): Strategy {
  const hasStatus = info.subresources.includes('status');
  const metaRules = { isNamespaced: info.isNamespaced, checkName: checkSubdomainName, checksGenerateName: true };
  return {
    prune: (object) => ({ object, dropped: [] }),
    applyDefaults: (object) => object,
    prepareForCreate: (object) => (rules.hasGeneration ? withMetadata(object, { generation: 1 }) : object),
    prepareForUpdate: (object, old, subresource) => {
      if (subresource === 'status') return withStatus(old, object['status'], metadataOf(object));
      const kept = hasStatus ? withStatus(object, old['status'], metadataOf(object)) : object;
      return rules.hasGeneration ? counted(kept, old) : kept;
    },
    validateCreate: (object) => validateMeta(metadataOf(object), metaRules),
    validateUpdate: (object, old) => validateMetaUpdate(metadataOf(object), metadataOf(old)),
  };
}

function withStatus(object: JsonObject, status: Json | undefined, metadata: JsonObject): JsonObject {
  const { status: _, ...rest } = object;
  return { ...rest, metadata, ...(status === undefined ? {} : { status }) };
}

function counted(object: JsonObject, old: JsonObject): JsonObject {
  const { metadata: _, status: __, ...now } = object;
  const { metadata: ___, status: ____, ...before } = old;
  if (deepEqual(now, before)) return object;
  const { generation } = metadataOf(old);
  return withMetadata(object, { generation: (typeof generation === 'number' ? generation : 0) + 1 });
}
