import type { RayCluster, RayClusterSpec } from '@manta/api';
import { isOwn } from '../ownership.ts';
import type { ObservedRayCluster, PodRecord } from './observed.ts';

/** A cluster that is valid and has its defaults, with what was observed of it: what every decision starts from. */
export interface Subject extends ObservedRayCluster {
  readonly spec: RayClusterSpec;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export function subjectOf(observed: ObservedRayCluster, cluster: RayCluster, spec: RayClusterSpec): Subject {
  const { name = '', namespace = '', uid = '' } = cluster.metadata ?? {};
  return { ...observed, pods: ownPods(observed), cluster, spec, name, namespace, uid };
}

/**
 * The pods that this very cluster controls. Others may carry its labels, because anyone who may create pods may write labels: they are
 * neither counted, nor asked, nor changed, nor deleted.
 */
export function ownPods({ cluster, pods }: Pick<ObservedRayCluster, 'cluster' | 'pods'>): readonly PodRecord[] {
  const uid = cluster.metadata?.uid ?? '';
  return pods.every((pod) => isOwn(uid, pod)) ? pods : pods.filter((pod) => isOwn(uid, pod));
}

/** `namespace/name`, as events write it. */
export function fullName({ namespace }: Pick<Subject, 'namespace'>, name: string): string {
  return `${namespace}/${name}`;
}
