import { RayClusterEventReason, type RayClusterStatus } from '@manta/api';
import { type Action, type Progress, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';

/**
 * Creations that are delayed, so that repeated failures cost the API server and the nodes little. Either no pod of a group is created for
 * a while because the API server refused the last one, or some of its places stay empty because pods in them failed repeatedly.
 */
export type CreateBackoff =
  | { readonly kind: 'refused'; readonly until: number }
  | { readonly kind: 'failing'; readonly places: number; readonly until: number };

/** By name of the group. */
export type CreateBackoffs = ReadonlyMap<string, CreateBackoff>;

/** What the operator remembers of a RayCluster between two reconciles. A restart loses it, which costs one attempt. */
export interface ClusterMemory {
  /** Groups whose pods the API server refused (a quota, a webhook, an invalid template), by name. */
  readonly refused: ReadonlyMap<string, Refusal>;
}

interface Refusal {
  readonly count: number;
  readonly until: number;
  /** The spec that was refused; another spec is tried at once. */
  readonly generation: number | undefined;
}

export const NO_CLUSTER_MEMORY: ClusterMemory = { refused: new Map() };

const FIRST_MS = 250;
const LONGEST_MS = 60_000;

/** Remembers which groups were refused and until when each of them waits; a success ends the backoff of its group. */
export function rememberRefusals(memory: ClusterMemory, progress: Progress<RayClusterStatus>): ClusterMemory {
  if (progress.kind !== 'acted') return memory;
  const { actions, outcome, generation, now } = progress;
  const refusedNow = outcome.refusedGroups ?? [];
  const tried = actions.flatMap((action) => (action.type === 'create' ? (action.group ?? []) : []));
  const refused = new Map(memory.refused);
  for (const group of tried) if (!refusedNow.includes(group)) refused.delete(group);
  for (const group of refusedNow) {
    const count = (refused.get(group)?.count ?? 0) + 1;
    const until = now + Math.min(LONGEST_MS, FIRST_MS * 2 ** (count - 1));
    refused.set(group, { count, until, generation });
  }
  return { refused };
}

/** The backoffs of failing pods, with those of refused groups, which block the whole group. */
export function withRefusals(
  failing: CreateBackoffs,
  { refused }: ClusterMemory,
  generation: number | undefined,
): CreateBackoffs {
  const backoffs = new Map(failing);
  for (const [group, refusal] of refused)
    if (refusal.generation === generation) backoffs.set(group, { kind: 'refused', until: refusal.until });
  return backoffs;
}

/** How many of a group's missing pods (or replicas of `size` pods) may be created now, and what to report about the others. */
export function allowedCreations(
  state: ClusterState,
  group: string,
  missing: number,
  size = 1,
): { readonly count: number; readonly actions: readonly Action[] } {
  const backoff = state.backoffs.get(group);
  if (backoff === undefined || backoff.until <= state.now || missing <= 0) return { count: missing, actions: [] };
  const wait = (message: string): Action => ({ type: 'wait', message, requeueAfterMs: backoff.until - state.now });
  if (backoff.kind === 'refused')
    return { count: 0, actions: [wait(`group ${group}: creating a Pod was refused, trying again later`)] };
  const delayed = Math.min(missing, Math.ceil(backoff.places / size));
  return {
    count: missing - delayed,
    actions: [warnAboutFailures(state, group), wait(`group ${group}: replacing Pods that fail again and again later`)],
  };
}

function warnAboutFailures(state: ClusterState, group: string): Action {
  const note = `Pods of group ${group} of RayCluster ${fullName(state, state.name)} fail again and again, or on the same node; they are replaced more slowly`;
  return { type: 'event', event: warning(RayClusterEventReason.ReplacementDelayed, 'Create', note) };
}
