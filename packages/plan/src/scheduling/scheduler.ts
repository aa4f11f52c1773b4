import type { KubeObject, PodSpec, RayCluster, RayJob, StringMap } from '@manta/api';
import type { Action } from '../plan.ts';
import type { Gang } from './gang.ts';

/** The supported batch schedulers. */
export const BATCH_SCHEDULERS = [
  'volcano',
  'yunikorn',
  'kai-scheduler',
  'scheduler-plugins',
  'kubernetes-was',
] as const;
export type BatchSchedulerName = (typeof BATCH_SCHEDULERS)[number];

/** Kinds of objects by which a scheduler learns which pods start together. */
export const GANG_KINDS = ['VolcanoPodGroup', 'PluginsPodGroup', 'Workload', 'WorkloadPodGroup'] as const;
export type GangKind = (typeof GANG_KINDS)[number];

/** An observed object of such a kind. */
export interface GangRecord {
  readonly kind: GangKind;
  readonly object: KubeObject & { readonly spec?: unknown };
}

/** Labels, annotations and spec fields of pods by which a scheduler recognises a gang. */
export interface Marks {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly spec: Pick<PodSpec, 'schedulerName' | 'schedulingGroup'>;
}

/** The owner of a gang: a RayCluster, or a RayJob together with its RayCluster. */
export type GangOwner =
  | { readonly kind: 'RayCluster'; readonly object: RayCluster }
  | { readonly kind: 'RayJob'; readonly object: RayJob };

/** A batch scheduler as pure functions. */
export interface BatchScheduler {
  /** The kinds of its objects, and the name of each for an owner of this name. */
  readonly objects: readonly { readonly kind: GangKind; readonly nameFor: (owner: string) => string }[];
  /** The marks of a group's pods; the name is empty for the RayCluster of a job. */
  marks(gang: Gang, group: string): Marks;
  /** Creates, updates or deletes the gang's objects; `isWanted` is false when no pod of the gang should run. */
  plan(gang: Gang, seen: readonly GangRecord[], isWanted: boolean): readonly Action[];
  /** Why the scheduler does not support this job, as a message for the user; undefined if it does. */
  refusal(job: RayJob): string | undefined;
}
