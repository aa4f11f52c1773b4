import { RayClusterEventReason } from '@manta/api';
import { type Action, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import type { PodRecord } from './observed.ts';
import { aliveRayWorkers, runningWorkers } from './pods.ts';

/** One head is used by the workers and the others are not. */
export interface HeadChoice {
  readonly used: PodRecord;
  readonly workers: number;
  readonly unused: readonly PodRecord[];
}

/**
 * Two heads are two clusters under one name. Which of them the workers use only Ray knows: as long as not every head has answered, or
 * both have workers, or none has, no choice is made.
 */
export function chooseHead({ pods, rayNodes }: ClusterState, heads: readonly PodRecord[]): HeadChoice | undefined {
  const addresses = runningWorkers(pods).map(({ podIP }) => podIP);
  const counts = heads.map((head) => {
    const nodes = rayNodes.get(head.uid);
    if (nodes === undefined) return undefined;
    const living = aliveRayWorkers(nodes);
    return addresses.filter((address) => living.has(address)).length;
  });
  if (counts.includes(undefined)) return undefined;
  const used = heads.filter((_, at) => (counts[at] ?? 0) > 0);
  const [only] = used;
  if (only === undefined || used.length > 1) return undefined;
  const unused = heads.filter((head) => head !== only);
  return { used: only, workers: Math.max(...counts.map((count) => count ?? 0)), unused };
}

/** Neither is touched; the user is told, and everything else goes on. */
export function warnAboutDuplicateHeads(state: ClusterState, heads: readonly PodRecord[]): Action {
  const names = heads.map(({ name }) => fullName(state, name)).toSorted();
  const note = `There are ${heads.length} head Pods: ${names.join(', ')}. Delete those that the workers do not use`;
  return { type: 'event', event: warning(RayClusterEventReason.MultipleHeadPods, 'Reconcile', note) };
}
