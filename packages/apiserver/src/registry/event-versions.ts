import type { JsonObject } from '../object/json.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { ServedResource, ServedVersion } from './served-resource.ts';
import { asJson, asStored } from '../object/stored-json.ts';

/** How the fields of a core Event are called in events.k8s.io; all others have the same name in both. */
const RENAMED: readonly (readonly [core: string, modern: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

/** Makes the events of both groups one set of objects, stored as core events. */
export function withSharedEvents(resources: readonly ServedResource[]): readonly ServedResource[] {
  const core = resources.find(({ info }) => info.group === '' && info.plural === 'events');
  return resources.map((resource) => {
    if (resource.info.group !== 'events.k8s.io' || core === undefined) return resource;
    const versions = [...resource.versions].map(([name, version]): [string, ServedVersion] => {
      const stored = core.versions.get(name);
      return [name, stored === undefined ? version : converted(version, stored)];
    });
    return { ...resource, storedAs: core.storedAs, versions: new Map(versions) };
  });
}

function converted(version: ServedVersion, core: ServedVersion): ServedVersion {
  const known = new WeakMap<StoredObject, StoredObject>();
  return {
    ...version,
    fromStored(object) {
      let shown = known.get(object);
      if (shown === undefined) {
        const renamed = rename(asJson(object), RENAMED, version.apiVersion);
        shown = asStored(version.strategy.prune(renamed).object);
        known.set(object, shown);
      }
      return shown;
    },
    toStored(object) {
      const renamed = rename(
        object,
        RENAMED.map(([old, modern]) => [modern, old] as const),
        core.apiVersion,
      );
      return core.strategy.prune(renamed).object;
    },
  };
}

function rename(object: JsonObject, names: readonly (readonly [string, string])[], apiVersion: string): JsonObject {
  const entries = Object.entries(object).map(([key, value]) => {
    const name = names.find(([from]) => from === key)?.[1] ?? key;
    return [name, value] as const;
  });
  return { ...Object.fromEntries(entries), apiVersion };
}
