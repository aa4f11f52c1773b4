import { type RayCluster, type RayClusterSpec, serviceNames } from '@manta/api';
import { headServiceSelector } from '../build/head-service.ts';
import { isOwn } from '../ownership.ts';
import type { ObservedRayCluster, PodRecord, ServiceRecord } from './observed.ts';

/** What was observed of a cluster, with the defaults of its spec: what every decision starts from. */
export interface ClusterState extends ObservedRayCluster {
  readonly spec: RayClusterSpec;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Pods of a deleted RayCluster of the same name. Only a suspension deletes them; nothing else of the cluster counts them. */
  readonly formerPods: readonly PodRecord[];
}

export function clusterStateOf(observed: ObservedRayCluster, cluster: RayCluster, spec: RayClusterSpec): ClusterState {
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

/** The Services that select the head, by their labels; if there are none, the Service that we created and whose labels a user removed. */
export function headServicesOf({ children, name, uid, spec }: ClusterState): readonly ServiceRecord[] {
  const wanted = Object.entries(headServiceSelector(name));
  const labelled = children.services.filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value));
  if (labelled.length > 0) return labelled;
  const made = serviceNames.head(name, spec.headGroupSpec.headService?.metadata?.name);
  return children.services.filter((service) => service.name === made && service.owner === uid);
}
