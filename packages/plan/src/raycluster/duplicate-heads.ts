import { RayClusterEventReason } from '@manta/api';
import { type Action, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import type { PodRecord } from './observed.ts';
import { aliveRayWorkers, runningWorkers } from './pods.ts';

/** The one head that the workers use, and the others. */
export interface HeadChoice {
  readonly used: PodRecord;
  readonly workers: number;
  readonly unused: readonly PodRecord[];
}

/**
 * Two heads are two Ray clusters under one name. Only Ray knows which of them the workers use: no choice is made until every head has
 * answered and exactly one of them has workers.
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

/** Warns the user and leaves all heads alone; the rest of the plan continues. */
export function warnAboutDuplicateHeads(state: ClusterState, heads: readonly PodRecord[]): Action {
  const names = heads.map(({ name }) => fullName(state, name)).toSorted();
  const note = `There are ${heads.length} head Pods: ${names.join(', ')}. Delete those that the workers do not use`;
  return { type: 'event', event: warning(RayClusterEventReason.MultipleHeadPods, 'Reconcile', note) };
}
