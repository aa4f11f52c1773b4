import { compareVersions } from '../crd/index.ts';
import type { Registry } from '../registry/registry.ts';
import { apiVersionOf, type ServedResource } from '../registry/served-resource.ts';

/** A served group with its versions, preferred first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly string[];
  readonly resources: readonly ServedResource[];
}

/** The groups that are served, the core group first, then in the order in which they came. */
export function servedGroups(registry: Registry): readonly ServedGroup[] {
  const groups = Map.groupBy(registry.all(), ({ info }) => info.group);
  return [...groups].map(([name, resources]) => {
    const versions = [...new Set(resources.flatMap(({ info }) => info.versions))].toSorted(compareVersions);
    return { name, versions, resources };
  });
}

/** An APIGroup, as /apis and /apis/<group> show it. */
export function groupDocument({ name, versions }: ServedGroup): object {
  const all = versions.map((version) => ({ groupVersion: apiVersionOf(name, version), version }));
  return { name, versions: all, preferredVersion: all[0] };
}
