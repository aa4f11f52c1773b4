import { type OwnerReference, SchedulerLabel } from '@manta/api';
import { resourceList } from '../amounts.ts';
import { type Gang, gangAmounts, memberCount } from './gang.ts';
import { type GangObject, gangOwnerReference, planGangObject } from './gang-objects.ts';
import { hasGangLabel } from './marks.ts';
import type { BatchScheduler } from './scheduler.ts';

/** The coscheduling plugin: a PodGroup of the cluster's name, for clusters that want a gang. */
export const schedulerPlugins: BatchScheduler = {
  objects: [{ kind: 'PluginsPodGroup', nameFor: (cluster) => cluster }],

  marks(gang) {
    // A job needs no group: its cluster's group is complete before the submitter starts.
    const isInGroup = gang.owner.kind === 'RayCluster' && hasGangLabel(gang);
    const labels = isInGroup ? { [SchedulerLabel.PluginsPodGroup]: gang.owner.object.metadata?.name ?? '' } : {};
    return { labels, annotations: {}, spec: { schedulerName: 'scheduler-plugins-scheduler' } };
  },

  plan(gang, seen, isWanted) {
    const hasGroup = isWanted && gang.owner.kind === 'RayCluster' && hasGangLabel(gang);
    return planGangObject(gang, 'PluginsPodGroup', hasGroup ? podGroup(gang) : undefined, seen);
  },

  refusal: () => undefined,
};

function podGroup(gang: Gang): GangObject {
  const { name = '', namespace = '' } = gang.owner.object.metadata ?? {};
  return {
    apiVersion: 'scheduling.x-k8s.io/v1alpha1',
    kind: 'PodGroup',
    metadata: { name, namespace, ownerReferences: [plain(gangOwnerReference(gang))] },
    spec: { minMember: memberCount(gang), minResources: resourceList(gangAmounts(gang)) },
  };
}

/** Not a controller reference: the plugin's controller may control the PodGroup. */
function plain({ apiVersion, kind, name, uid }: OwnerReference): OwnerReference {
  return { apiVersion, kind, name, uid };
}
