import { GroupName, Label, NodeType, type Pod, type RayCluster, RayClusterUpgradeType } from '@manta/api';
import type { Happening } from './simulate.ts';
import type { PodsChange } from './types.ts';
import type { VirtualCluster } from './virtual-cluster.ts';

interface Counts {
  readonly cluster: string;
  readonly group: string;
  created: number;
  deleted: number;
  isReplacement: boolean;
}

/** Pods that were created and deleted, by RayCluster and group, in the order of the first change. */
export function podChanges(
  happenings: readonly Happening[],
  before: VirtualCluster,
  after: VirtualCluster,
): readonly PodsChange[] {
  const counts = new Map<string, Counts>();
  for (const happening of happenings) {
    if (happening.kind !== 'change' || happening.change.kind !== 'Pod') continue;
    const { verb, before: old, after: fresh } = happening.change;
    const pod = fresh ?? old;
    if (pod === undefined || verb === 'update') continue;
    const { cluster, group } = placeOf(pod);
    const key = `${cluster}/${group}`;
    const count = counts.get(key) ?? { cluster, group, created: 0, deleted: 0, isReplacement: false };
    if (verb === 'create') count.created += 1;
    else count.deleted += 1;
    counts.set(key, count);
  }
  const total = (world: VirtualCluster, { cluster, group }: Counts) =>
    [...world.objects.Pod.values()].filter((pod) => {
      const place = placeOf(pod);
      return place.cluster === cluster && place.group === group;
    }).length;
  return [...counts.values()].map((count) => {
    const { cluster, group, created, deleted } = count;
    const replaced = Math.min(created, deleted);
    const kept = Math.max(0, total(before, count) - deleted);
    const why = deleted === 0 ? undefined : whyDeleted(cluster, group, before, after, replaced > 0);
    const numbers = { created: created - replaced, deleted: deleted - replaced, replaced, kept };
    return { cluster, group, ...numbers, ...(why === undefined ? {} : { why }) };
  });
}

function placeOf({ metadata }: Pick<Pod, 'metadata'>): { readonly cluster: string; readonly group: string } {
  const labels = metadata?.labels ?? {};
  const isHead = labels[Label.NodeType] === NodeType.Head;
  return { cluster: labels[Label.Cluster] ?? '', group: isHead ? GroupName.Head : (labels[Label.Group] ?? '') };
}

/** Why the operator deletes pods of a group, in the words of the spec. */
function whyDeleted(
  clusterName: string,
  groupName: string,
  before: VirtualCluster,
  after: VirtualCluster,
  isReplacement: boolean,
): string {
  const cluster = after.objects.RayCluster.get(clusterName);
  if (cluster === undefined) return `RayCluster ${clusterName} is deleted`;
  const { spec } = cluster;
  if (spec?.suspend === true) return `RayCluster ${clusterName} is suspended`;
  const former = groupOf(before.objects.RayCluster.get(clusterName), groupName);
  const group = groupOf(cluster, groupName);
  if (groupName !== GroupName.Head && group === undefined) return 'the group is no longer in the spec';
  if (group?.suspend === true) return 'the group is suspended';
  if (isReplacement && spec?.upgradeStrategy?.type === RayClusterUpgradeType.Recreate)
    return 'the spec changed and upgradeStrategy.type is Recreate';
  if ((group?.scaleStrategy?.workersToDelete ?? []).length > 0 && isReplacement)
    return 'scaleStrategy.workersToDelete names them';
  if (group !== undefined && former !== undefined) {
    const fields = (['replicas', 'minReplicas', 'maxReplicas', 'numOfHosts'] as const).filter(
      (field) => group[field] !== former[field],
    );
    if (fields.length > 0)
      return fields
        .map((field) => `${field} changes from ${former[field] ?? 'unset'} to ${group[field] ?? 'unset'}`)
        .join(', ');
  }
  return (group?.scaleStrategy?.workersToDelete ?? []).length > 0
    ? 'scaleStrategy.workersToDelete names them'
    : 'the spec asks for fewer pods';
}

function groupOf(cluster: RayCluster | undefined, name: string) {
  return cluster?.spec?.workerGroupSpecs?.find(({ groupName }) => groupName === name);
}
