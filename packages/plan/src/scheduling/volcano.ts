import {
  clusterObjectNames,
  Label,
  OriginCrd,
  originOf,
  type Parsed,
  parsed,
  SchedulerAnnotation,
  SchedulerLabel,
  type StringMap,
} from '@manta/api';
import { NO_AMOUNTS, resourceList } from '../amounts.ts';
import { type Gang, gangAmounts, memberCount } from './gang.ts';
import { type GangObject, gangOwnerReference, planGangObject } from './gang-objects.ts';
import { copied } from './marks.ts';
import type { BatchScheduler } from './scheduler.ts';

const { VolcanoQueue, VolcanoTopologyMode, VolcanoTopologyTier } = SchedulerLabel;

/** Volcano: one PodGroup for each cluster, or for each job together with its cluster. */
export const volcano: BatchScheduler = {
  objects: [{ kind: 'VolcanoPodGroup', nameFor: clusterObjectNames.volcanoPodGroup }],

  marks(gang, group) {
    return {
      labels: copied(gang, [VolcanoQueue, Label.PriorityClassName]),
      annotations: {
        [SchedulerAnnotation.VolcanoGroup]: groupName(gang),
        [SchedulerAnnotation.VolcanoTask]: group,
      },
      spec: { schedulerName: 'volcano' },
    };
  },

  plan(gang, seen, isWanted) {
    // The job's PodGroup includes the pods of its cluster.
    if (isMadeForJob(gang)) return planGangObject(gang, 'VolcanoPodGroup', undefined, seen);
    const isKept = isWanted || gang.owner.kind === 'RayJob';
    const wanted = isKept ? podGroup(gang, isWanted) : parsed(undefined);
    if (!wanted.ok) return [{ type: 'abort', message: wanted.error }];
    return planGangObject(gang, 'VolcanoPodGroup', wanted.value, seen);
  },

  refusal({ metadata, spec }) {
    const isSelecting = spec?.rayClusterSpec === undefined;
    const name = `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
    return isSelecting
      ? `gang scheduling does not support RayJob ${name} referencing an existing RayCluster`
      : undefined;
  },
};

/** The PodGroup of a job that does not run stays and requests nothing. */
function podGroup(gang: Gang, isRunning: boolean): Parsed<GangObject> {
  const { metadata = {} } = gang.owner.object;
  const { labels = {}, annotations = {} } = metadata;
  const topology = networkTopology(labels);
  if (!topology.ok) return topology;
  const count = isRunning ? memberCount(gang) : 0;
  return parsed({
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'PodGroup',
    metadata: {
      name: groupName(gang),
      namespace: metadata.namespace ?? '',
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [gangOwnerReference(gang)],
    },
    spec: {
      minMember: count === 0 ? undefined : count,
      minResources: resourceList(isRunning ? gangAmounts(gang) : NO_AMOUNTS),
      ...(labels[VolcanoQueue] ? { queue: labels[VolcanoQueue] } : {}),
      ...(labels[Label.PriorityClassName] ? { priorityClassName: labels[Label.PriorityClassName] } : {}),
      ...topology.value,
    },
    status: { phase: 'Pending' },
  } as GangObject);
}

function networkTopology(labels: StringMap): Parsed<Readonly<Record<string, unknown>>> {
  const mode = labels[VolcanoTopologyMode];
  const tier = labels[VolcanoTopologyTier];
  if (!mode) return parsed({});
  if (!tier) return parsed({ networkTopology: { mode } });
  if (!/^[+-]?\d+$/.test(tier))
    return {
      ok: false,
      error: `failed to convert ${VolcanoTopologyTier} label to int: "${tier}" is not a whole number`,
    };
  return parsed({ networkTopology: { mode, highestTierAllowed: Number(tier) } });
}

function isMadeForJob({ owner }: Gang): boolean {
  return owner.kind === 'RayCluster' && originOf(owner.object.metadata?.labels) === OriginCrd.RayJob;
}

function groupName(gang: Gang): string {
  const { name = '', labels } = gang.owner.object.metadata ?? {};
  return clusterObjectNames.volcanoPodGroup(isMadeForJob(gang) ? (labels?.[Label.OriginatedFromCrName] ?? name) : name);
}
