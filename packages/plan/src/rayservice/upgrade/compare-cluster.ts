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
export function compareCluster({ spec, context }: ServiceState, cluster: RayCluster): Comparison {
  const { annotations = {} } = cluster.metadata ?? {};
  const { operatorVersion } = context;
  const stamp = {
    hash: annotations[Annotation.SpecHash],
    operatorVersion: annotations[Annotation.OperatorVersion],
    workerGroupCount: annotations[Annotation.WorkerGroupCount],
  };
  const byStamp = compared(spec.rayClusterConfig, stamp, operatorVersion);
  if (byStamp !== 'foreign') return { verdict: byStamp, hasForeignStamp: false };
  // A hash that was never ours beside our own version was put there by somebody: it asks for another cluster, unless the number of groups is
  // unreadable too, which has always been taken for groups that were appended.
  const isReplaced = stamp.operatorVersion === operatorVersion && stamp.hash !== undefined && !isHashOfOurs(stamp.hash);
  if (isReplaced) {
    const isCounted = parseGoInt(stamp.workerGroupCount ?? '').ok;
    return { verdict: isCounted ? 'different' : 'appended-groups', hasForeignStamp: false };
  }
  if (cluster.spec === undefined) return { verdict: 'different', hasForeignStamp: true };
  const fresh = {
    hash: wantedHash(cluster.spec),
    operatorVersion,
    workerGroupCount: String((cluster.spec.workerGroupSpecs ?? []).length),
  };
  const verdict = compared(spec.rayClusterConfig, fresh, operatorVersion);
  return { verdict: verdict === 'foreign' ? 'different' : verdict, hasForeignStamp: true };
}

/** Verdicts by spec and stamp: a pass asks for the same ones several times, and most passes find what the one before found. */
const verdicts = new WeakMap<RayClusterSpec, Map<string, ServiceSpecComparison>>();
const hashes = new WeakMap<RayClusterSpec, string>();

function compared(spec: RayClusterSpec, stamp: ServiceSpecStamp, operatorVersion: string): ServiceSpecComparison {
  const known = verdicts.get(spec) ?? new Map<string, ServiceSpecComparison>();
  const key = JSON.stringify([stamp.hash, stamp.operatorVersion, stamp.workerGroupCount, operatorVersion]);
  const verdict = known.get(key) ?? compareServiceSpec(spec, stamp, operatorVersion);
  verdicts.set(spec, known.set(key, verdict));
  return verdict;
}

/** The hash of a spec, made once. */
export function wantedHash(spec: RayClusterSpec): string {
  const hash = hashes.get(spec) ?? specHash(spec, { ignoreSuspend: true });
  hashes.set(spec, hash);
  return hash;
}
