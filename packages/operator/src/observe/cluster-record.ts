import type { RayCluster, RayClusterSpec } from '@manta/api';
import type { Interner } from '@manta/runtime';
import { withoutManagedFields } from './child-records.ts';

/** A RayCluster as it is kept. Its pod templates are most of it, and those of many clusters are the same: they are kept once. */
export function clusterRecord(cluster: RayCluster, intern: Interner): RayCluster {
  const kept = withoutManagedFields(cluster);
  return kept.spec === undefined ? kept : { ...kept, spec: sharing(kept.spec, intern) };
}

function sharing(spec: RayClusterSpec, intern: Interner): RayClusterSpec {
  const { headGroupSpec, workerGroupSpecs } = spec;
  return {
    ...spec,
    headGroupSpec: withSharedTemplate(headGroupSpec, intern),
    ...(workerGroupSpecs === undefined
      ? {}
      : { workerGroupSpecs: workerGroupSpecs.map((group) => withSharedTemplate(group, intern)) }),
  };
}

/** The API server lets a group through without its template, and a cluster without its head. */
function withSharedTemplate<Group extends { readonly template?: object }>(group: Group, intern: Interner): Group {
  return group?.template === undefined ? group : { ...group, template: intern.value(group.template) };
}
