import { desiredPods, desiredWorkerPods, type RayCluster } from '@manta/api';
import type { StoredObject } from '@manta/engine';
import type { History } from '../history.ts';
import { isReady } from './environment.ts';
import { asCluster, groupOf, isGoing, isHead, isWorker, ownerOf, STORED } from './stage.ts';

/** What is still missing: pods as the specs ask for, a status that says so, and nothing left of what was deleted. */
export function goal(history: History): string | undefined {
  const clusters = history.list(STORED.clusters);
  const uids = new Set(clusters.map(({ metadata }) => metadata.uid));
  const pods = history.list(STORED.pods);
  const orphan = pods.find((pod) => ownerOf(pod) !== undefined && !uids.has(ownerOf(pod) ?? ''));
  if (orphan !== undefined) return `${orphan.metadata.name} has lost its cluster and is still there`;
  for (const cluster of clusters) {
    const mine = pods.filter((pod) => ownerOf(pod) === cluster.metadata.uid);
    const missing = isGoing(cluster) ? 'is still there' : missingIn(asCluster(cluster), mine);
    if (missing !== undefined) return `${cluster.metadata.name} ${missing}`;
  }
  return undefined;
}

function missingIn({ spec, status, metadata }: RayCluster, pods: readonly StoredObject[]): string | undefined {
  if (spec === undefined) return 'has no spec';
  const isSuspended = spec.suspend === true;
  const groups = spec.workerGroupSpecs ?? [];
  const restless = pods.find((pod) => !isReady(pod));
  if (restless !== undefined) return `has ${restless.metadata.name}, which is not ready`;
  const heads = pods.filter(isHead).length;
  if (isSuspended ? heads !== 0 : heads < 1) return `has ${heads} heads`;
  for (const group of groups) {
    const count = pods.filter((pod) => isWorker(pod) && groupOf(pod) === group.groupName).length;
    const wanted = isSuspended ? 0 : desiredPods(group);
    // Who is too many under the autoscaler stays until he is named.
    const mayBeMore = spec.enableInTreeAutoscaling === true && !isSuspended;
    if (mayBeMore ? count < wanted : count !== wanted)
      return `has ${count} of group ${group.groupName} where ${wanted} are wanted`;
    const named = pods.find((pod) => group.scaleStrategy?.workersToDelete?.includes(pod.metadata.name));
    if (named !== undefined) return `has ${named.metadata.name}, which the autoscaler has named`;
  }
  const lost = pods.find((pod) => isWorker(pod) && !groups.some(({ groupName }) => groupName === groupOf(pod)));
  if (lost !== undefined) return `has ${lost.metadata.name} of a group that is gone`;
  const told = {
    ready: status?.readyWorkerReplicas ?? 0,
    desired: status?.desiredWorkerReplicas ?? 0,
    generation: status?.observedGeneration,
  };
  const workers = pods.filter(isWorker).length;
  const wanted = desiredWorkerPods(spec);
  const isTrue = told.ready === workers && told.desired === wanted && told.generation === metadata?.generation;
  return isTrue
    ? undefined
    : `says ${JSON.stringify(told)} where ${workers} are ready, ${wanted} desired, generation ${metadata?.generation}`;
}
