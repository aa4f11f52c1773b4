import type { RayCluster, RayClusterSpec, RayClusterStatus } from '@manta/api';
import { withoutManagedFields } from '@manta/plan';
import { Interner } from '@manta/runtime';

/** How many templates the interner keeps. Templates are large, and those of deleted clusters stay until they are evicted. */
const GENERATION = 500;

/**
 * Projects RayClusters to records. Most of their size is pod templates, which are equal in many clusters: equal templates are interned, and
 * so are the types and reasons of conditions.
 */
export function clusterRecords(): (cluster: RayCluster, intern: Interner) => RayCluster {
  const templates = new Interner(GENERATION);
  return (cluster, intern) => {
    const { spec, status, ...kept } = withoutManagedFields(cluster);
    return {
      ...kept,
      ...(spec === undefined ? {} : { spec: sharing(spec, templates) }),
      ...(status === undefined || status === null ? {} : { status: withSharedWords(status, intern) }),
    };
  };
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

function withSharedWords(status: RayClusterStatus, intern: Interner): RayClusterStatus {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return status;
  return {
    ...status,
    // Not their messages: error messages are long and differ.
    conditions: conditions.map((condition) => ({
      ...condition,
      type: intern.string(condition.type),
      reason: intern.string(condition.reason),
    })),
  };
}
