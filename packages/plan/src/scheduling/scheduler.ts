import type { KubeObject, PodSpec, RayCluster, RayJob, StringMap } from '@manta/api';
import type { Action } from '../plan.ts';
import type { Gang } from './gang.ts';

/** The batch schedulers that pods can be made for. */
export const BATCH_SCHEDULERS = [
  'volcano',
  'yunikorn',
  'kai-scheduler',
  'scheduler-plugins',
  'kubernetes-was',
] as const;
export type BatchSchedulerName = (typeof BATCH_SCHEDULERS)[number];

/** Objects that tell a scheduler which pods have to come together. */
export const GANG_KINDS = ['VolcanoPodGroup', 'PluginsPodGroup', 'Workload', 'WorkloadPodGroup'] as const;
export type GangKind = (typeof GANG_KINDS)[number];

/** Such an object as it was seen. */
export interface GangRecord {
  readonly kind: GangKind;
  readonly object: KubeObject & { readonly spec?: unknown };
}

/** What a pod carries so that a scheduler takes it, and takes it together with others. */
export interface Marks {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly spec: Pick<PodSpec, 'schedulerName' | 'schedulingGroup'>;
}

/** Whose gang it is: a RayCluster's, or a RayJob's with the cluster that is made for it. */
export type GangOwner =
  | { readonly kind: 'RayCluster'; readonly object: RayCluster }
  | { readonly kind: 'RayJob'; readonly object: RayJob };

/** All that a scheduler is to us. Nothing here writes or remembers anything. */
export interface BatchScheduler {
  /** The objects that it is told of gangs by: each kind, and what one is called that was made for an owner of this name. */
  readonly objects: readonly { readonly kind: GangKind; readonly nameFor: (owner: string) => string }[];
  /** What pods of a group carry; the name is empty for the RayCluster that is made for a job. */
  marks(gang: Gang, group: string): Marks;
  /** Brings the objects in line with the gang; `isWanted` is false when nothing of it is to run. */
  plan(gang: Gang, seen: readonly GangRecord[], isWanted: boolean): readonly Action[];
  /** Why it cannot run this job, in a sentence for the user; undefined when it can. */
  refusal(job: RayJob): string | undefined;
}
