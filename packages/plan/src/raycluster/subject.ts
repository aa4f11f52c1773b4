import type { RayCluster, RayClusterSpec } from '@manta/api';
import type { ObservedRayCluster } from './observed.ts';

/** A cluster that is valid and has its defaults, with what was observed of it: what every decision starts from. */
export interface Subject extends ObservedRayCluster {
  readonly spec: RayClusterSpec;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export function subjectOf(observed: ObservedRayCluster, cluster: RayCluster, spec: RayClusterSpec): Subject {
  const { name = '', namespace = '', uid = '' } = cluster.metadata ?? {};
  return { ...observed, cluster, spec, name, namespace, uid };
}

/** `namespace/name`, as events write it. */
export function fullName({ namespace }: Pick<Subject, 'namespace'>, name: string): string {
  return `${namespace}/${name}`;
}
