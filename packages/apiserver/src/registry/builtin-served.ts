import { ownValue } from '@manta/base';
import { builtinKinds, builtinSchema, createBuiltinStrategy, resolveBuiltin } from '../builtin/index.ts';
import { resourceName } from '../object/resource-info.ts';
import type { Schema } from '../object/schema.ts';
import { BUILTIN_RESOURCES, type BuiltinResource } from './builtin-resources.ts';
import { withSharedEvents } from './event-versions.ts';
import { genericStrategy } from './generic-strategy.ts';
import { SELECTABLE_FIELDS } from './selectable-fields.ts';
import { apiVersionOf, type ServedResource, type ServedVersion } from './served-resource.ts';
import { builtinColumns } from '../table/builtin-columns.ts';

const ANYTHING: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const ENDPOINTS_WARNING = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

/** The built-in kinds, ready to be served. */
export function builtinResources(): readonly ServedResource[] {
  return withSharedEvents(BUILTIN_RESOURCES.map(servedBuiltin));
}

function servedBuiltin({ info, rules, isVirtual }: BuiltinResource): ServedResource {
  const kind = builtinKinds.find((known) => known.group === info.group && known.kind === info.kind);
  const versions = info.versions.map((name): [string, ServedVersion] => {
    const version: ServedVersion = {
      resource: info,
      name,
      apiVersion: apiVersionOf(info.group, name),
      schema: (kind === undefined ? undefined : builtinSchema(kind.definition)) ?? ANYTHING,
      resolve: resolveBuiltin,
      strategy: kind === undefined ? genericStrategy(info, rules) : createBuiltinStrategy(kind),
      isBuiltin: true,
      ...(info.kind === 'Endpoints' ? { deprecationWarning: ENDPOINTS_WARNING } : {}),
      hasStatus: info.subresources.includes('status'),
      selectableFields: ownValue(SELECTABLE_FIELDS, resourceName(info)) ?? {},
      columns: builtinColumns(resourceName(info)),
      fromStored: (object) => object,
      toStored: (object) => object,
    };
    return [name, version];
  });
  return { info, storedAs: resourceName(info), rules, isVirtual, versions: new Map(versions) };
}
