import { resourceName } from '../resource-info.ts';
import type { Schema } from '../schema.ts';
import { BUILTIN_RESOURCES, type BuiltinResource } from './builtin-resources.ts';
import { genericStrategy } from './generic-strategy.ts';
import { SELECTABLE_FIELDS } from './selectable-fields.ts';
import { apiVersionOf, type ServedResource, type ServedVersion } from './served-resource.ts';

/** The built-in kinds, ready to be served. */
export function builtinResources(): readonly ServedResource[] {
  return BUILTIN_RESOURCES.filter(({ isVirtual }) => !isVirtual).map(servedBuiltin);
}

function servedBuiltin({ info, rules }: BuiltinResource): ServedResource {
  const versions = info.versions.map((name): [string, ServedVersion] => {
    const schema: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const version: ServedVersion = {
      resource: info,
      name,
      apiVersion: apiVersionOf(info.group, name),
      schema,
      resolve: (same) => same,
      strategy: genericStrategy(info, rules),
      hasStatus: info.subresources.includes('status'),
      selectableFields: SELECTABLE_FIELDS[resourceName(info)] ?? {},
      columns: [],
      fromStored: (object) => object,
      toStored: (object) => object,
    };
    return [name, version];
  });
  return { info, storedAs: resourceName(info), rules, versions: new Map(versions) };
}
