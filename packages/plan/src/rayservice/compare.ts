import { Annotation, compareServiceSpec, type RayCluster, specHash } from '@manta/api';
import type { Subject } from './subject.ts';

/** How the wanted spec relates to a cluster. */
export interface Comparison {
  /** `appended-groups`: the cluster can take the wanted spec as it is, worker groups were only added at the end. */
  readonly verdict: 'same' | 'appended-groups' | 'different';
  /** The cluster's stamp is missing, another operator's or another version's: it says nothing and has to be made anew. */
  readonly hasForeignStamp: boolean;
}

/**
 * Compares by the stamp that the cluster got when it was made, so that edits of the cluster itself are no reason for a new one. A stamp
 * that we can't read is replaced by one made from the cluster's own spec: taking a cluster over changes nothing, and yet a change of the
 * service that came along with it is not lost.
 */
export function compareCluster({ spec, context }: Subject, cluster: RayCluster): Comparison {
  const { annotations = {} } = cluster.metadata ?? {};
  const { operatorVersion } = context;
  const stamp = {
    hash: annotations[Annotation.SpecHash],
    operatorVersion: annotations[Annotation.OperatorVersion],
    workerGroupCount: annotations[Annotation.WorkerGroupCount],
  };
  const byStamp = compareServiceSpec(spec.rayClusterConfig, stamp, operatorVersion);
  if (byStamp !== 'foreign') return { verdict: byStamp, hasForeignStamp: false };
  if (cluster.spec === undefined) return { verdict: 'different', hasForeignStamp: true };
  const fresh = {
    hash: specHash(cluster.spec, { ignoreSuspend: true }),
    operatorVersion,
    workerGroupCount: String((cluster.spec.workerGroupSpecs ?? []).length),
  };
  const verdict = compareServiceSpec(spec.rayClusterConfig, fresh, operatorVersion);
  return { verdict: verdict === 'foreign' ? 'different' : verdict, hasForeignStamp: true };
}
