import {
  Annotation,
  compareServiceSpec,
  isHashOfOurs,
  parseGoInt,
  type RayCluster,
  type RayClusterSpec,
  type ServiceSpecComparison,
  type ServiceSpecStamp,
  specHash,
} from '@manta/api';
import type { ServiceState } from '../service-state.ts';

/** How the service's cluster spec relates to an existing cluster. */
export interface Comparison {
  /** `appended-groups`: worker groups were only added at the end, so the cluster can be updated in place. */
  readonly verdict: 'same' | 'appended-groups' | 'different';
  /** The hash annotation is missing, or KubeRay or another version of this operator wrote it: it cannot be compared and is to be replaced. */
  readonly hasForeignHash: boolean;
}

/**
 * Compares with the hash annotation that the cluster got when it was created, so a user's edit of the cluster itself does not cause an
 * upgrade. If the hash is foreign, the cluster's own spec is hashed instead: adopting a cluster changes nothing, and a change of the service
 * that was made together with the migration still causes an upgrade.
 */
export function compareCluster({ spec, context }: ServiceState, cluster: RayCluster): Comparison {
  const { annotations = {} } = cluster.metadata ?? {};
  const { operatorVersion } = context;
  const stamp = {
    hash: annotations[Annotation.SpecHash],
    operatorVersion: annotations[Annotation.OperatorVersion],
    workerGroupCount: annotations[Annotation.WorkerGroupCount],
  };
  const byStamp = compared(spec.rayClusterConfig, stamp, operatorVersion);
  if (byStamp !== 'foreign') return { verdict: byStamp, hasForeignHash: false };
  // A user replaced the hash beside our own version annotation: that asks for another cluster. If the group count cannot be parsed either,
  // KubeRay takes the change for appended groups, and so do we.
  const isReplaced = stamp.operatorVersion === operatorVersion && stamp.hash !== undefined && !isHashOfOurs(stamp.hash);
  if (isReplaced) {
    const isCounted = parseGoInt(stamp.workerGroupCount ?? '').ok;
    return { verdict: isCounted ? 'different' : 'appended-groups', hasForeignHash: false };
  }
  if (cluster.spec === undefined) return { verdict: 'different', hasForeignHash: true };
  const fresh = {
    hash: specHashOf(cluster.spec),
    operatorVersion,
    workerGroupCount: String((cluster.spec.workerGroupSpecs ?? []).length),
  };
  const verdict = compared(spec.rayClusterConfig, fresh, operatorVersion);
  return { verdict: verdict === 'foreign' ? 'different' : verdict, hasForeignHash: true };
}

/** Memoised by spec and annotations: one reconcile compares several times, and most reconciles find no change. */
const verdicts = new WeakMap<RayClusterSpec, Map<string, ServiceSpecComparison>>();
const hashes = new WeakMap<RayClusterSpec, string>();

function compared(spec: RayClusterSpec, stamp: ServiceSpecStamp, operatorVersion: string): ServiceSpecComparison {
  const known = verdicts.get(spec) ?? new Map<string, ServiceSpecComparison>();
  const key = JSON.stringify([stamp.hash, stamp.operatorVersion, stamp.workerGroupCount, operatorVersion]);
  const verdict = known.get(key) ?? compareServiceSpec(spec, stamp, operatorVersion);
  verdicts.set(spec, known.set(key, verdict));
  return verdict;
}

/** The hash of a cluster spec, memoised by the object. */
export function specHashOf(spec: RayClusterSpec): string {
  const hash = hashes.get(spec) ?? specHash(spec, { ignoreSuspend: true });
  hashes.set(spec, hash);
  return hash;
}
