import type { RayCluster, RayClusterSpec } from '@manta/api';
import { isOwn } from '../ownership.ts';
import type { ObservedRayCluster, PodRecord } from './observed.ts';

/** A cluster that is valid and has its defaults, with what was observed of it: what every decision starts from. */
export interface Subject extends ObservedRayCluster {
  readonly spec: RayClusterSpec;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Pods of a deleted RayCluster of the same name. Only a suspension deletes them; nothing else of the cluster counts them. */
  readonly formerPods: readonly PodRecord[];
}

export function subjectOf(observed: ObservedRayCluster, cluster: RayCluster, spec: RayClusterSpec): Subject {
  const { name = '', namespace = '', uid = '' } = cluster.metadata ?? {};
  const pods = ownPods(observed);
  const formerPods = pods === observed.pods ? [] : observed.pods.filter((pod) => isFormer(cluster, pod));
  return { ...observed, pods, formerPods, cluster, spec, name, namespace, uid };
}

/** Whether a pod's controller reference names this cluster's name with another uid, and the pod is not younger than the cluster. */
function isFormer({ metadata = {} }: RayCluster, { owner, ownerCluster, createdAt }: PodRecord): boolean {
  const isNamesake = owner !== undefined && owner !== metadata.uid && ownerCluster === metadata.name;
  // Our view of the cluster may be older than a cluster that has replaced it: pods of that one are younger.
  return isNamesake && createdAt <= Date.parse(metadata.creationTimestamp ?? '');
}

/**
 * The pods that this very cluster controls. Others may carry its labels, because anyone who may create pods may write labels: they are
 * neither counted, nor asked, nor changed, nor deleted.
 */
export function ownPods({ cluster, pods }: Pick<ObservedRayCluster, 'cluster' | 'pods'>): readonly PodRecord[] {
  const uid = cluster.metadata?.uid ?? '';
  return pods.every((pod) => isOwn(uid, pod)) ? pods : pods.filter((pod) => isOwn(uid, pod));
}
