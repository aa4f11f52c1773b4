import type { KubeObject } from '@manta/api';
import type { JobSubmission } from './build/submitter-request.ts';
import type { Target } from './ownership.ts';
import type { GangKind } from './scheduling/scheduler.ts';

/** What is to be done about one object, decided from what was observed of it: actions in order, and when to reconcile again. */
export interface Plan {
  readonly actions: readonly Action[];
  /** Reconcile again after this long even if nothing changes; absent: only when something does. */
  readonly requeueAfterMs?: number;
}

/** What every planner returns to the reconcile pipeline: `plan(observed, memory) → { actions, status, memory, requeueAfterMs }`. */
export interface ReconcilePlan<Status, Memory> extends Plan {
  /** Written after all actions have been carried out; absent: the status stays as it is. */
  readonly status?: Status | undefined;
  /** For kinds whose status reports how the actions ended: the status after that outcome, whatever it is. */
  readonly statusAfter?: ((outcome: PlanOutcome) => Status | undefined) | undefined;
  /** What the next plan for the same object is given; absent: unchanged. The operator loses it when it restarts. */
  readonly memory?: Memory;
}

/** What happened after a plan was made; a kind may keep some of it in its memory. */
export type Progress<Status> =
  | {
      readonly kind: 'acted';
      readonly actions: readonly Action[];
      readonly outcome: PlanOutcome;
      /** The spec that was planned for. */
      readonly generation: number | undefined;
      /** Milliseconds since the epoch, when the last action had ended. */
      readonly now: number;
    }
  | {
      readonly kind: 'status-written';
      readonly before: Status | undefined;
      readonly status: Status;
      readonly now: number;
    };

/**
 * One effect on the world, as data. The operator carries actions out in order, deletions that follow each other in parallel; the first
 * one that fails ends the plan, unless it is marked `isOptional` or `continueOnFailure`. Every action may be repeated: after a crash the same
 * plan is made again.
 */
export type Action =
  | EventAction
  | CreateAction
  | UpdateAction
  | PatchAction
  | DeleteAction
  | RayAction
  | WaitAction
  | AbortAction;

export interface EventAction {
  readonly type: 'event';
  readonly event: PlannedEvent;
}

/** Kinds that the operator makes for a custom resource. */
export type ChildKind =
  | 'Pod'
  | 'Service'
  | 'ServiceAccount'
  | 'Role'
  | 'RoleBinding'
  | 'Ingress'
  | 'Route'
  | 'Secret'
  | 'PersistentVolumeClaim'
  | 'Job'
  | 'PodDisruptionBudget'
  | 'NetworkPolicy'
  | 'Certificate'
  | 'Issuer'
  | 'Gateway'
  | 'HTTPRoute'
  | 'RayCluster'
  | 'RayJob'
  | GangKind;

/** Kinds that a plan writes to: those of children, and the custom resource that the plan is about. */
export type WrittenKind = ChildKind | 'RayService' | 'RayCronJob';

/** Makes objects of one kind, in parallel with a slow start; the first refusal stops the rest. */
export interface CreateAction extends Reported {
  readonly type: 'create';
  readonly kind: ChildKind;
  readonly objects: readonly KubeObject[];
  /** Whether an object of that name counts as made: always, only when it is ours and alive, or never. */
  readonly whenExists: 'fine' | 'fine-if-ours' | 'failure';
  /** An object of that name that is not ours fails this action alone: the rest of the plan goes on. Absent: it ends the plan. */
  readonly whenForeign?: 'skip';
  /** An object of this plan that has to exist as ours; without it this action is skipped. */
  readonly needs?: { readonly kind: ChildKind; readonly name: string };
  /** Who is remembered when these are refused, so that the next try can wait: the name of a group of pods. */
  readonly group?: string;
}

/** Replaces an object that was read at the resourceVersion it carries. */
export interface UpdateAction extends Reported {
  readonly type: 'update';
  readonly kind: WrittenKind;
  readonly object: KubeObject;
  readonly target: Target;
}

/** A merge patch of the object that was observed; with a resourceVersion inside it applies only to the object as it was read. */
export interface PatchAction extends Reported {
  readonly type: 'patch';
  readonly kind: WrittenKind;
  readonly name: string;
  readonly patch: unknown;
  readonly target: Target;
}

/** Deletes one object, and only the one that was seen: its uid is a precondition. An object that is gone counts as deleted. */
export interface DeleteAction extends Reported {
  readonly type: 'delete';
  readonly kind: WrittenKind;
  readonly name: string;
  readonly uid: string;
  readonly target: Target;
  /** Not before the deletions ahead of it in the plan have succeeded; deletions that follow each other run in parallel otherwise. */
  readonly afterOthers?: boolean;
  /** What becomes of the object's own children; absent: what the server does by default. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
}

/**
 * Sends a command to a cluster's Ray head in the background: no reconcile waits for it, and a later one observes the result under the same id.
 * Two commands with one id are sent once, until the first one's result is dropped.
 */
export interface RayAction {
  readonly type: 'ray';
  readonly id: string;
  /** The RayCluster whose head is asked. */
  readonly cluster: string;
  readonly command: RayCommand;
}

export type RayCommand =
  | { readonly kind: 'submit'; readonly job: JobSubmission }
  | { readonly kind: 'stop'; readonly jobId: string }
  | { readonly kind: 'delete'; readonly jobId: string }
  /** The whole serve config, as JSON text. */
  | { readonly kind: 'put-serve'; readonly config: string }
  /** Drops the result of the earlier command with this id. Ray itself is not asked. */
  | { readonly kind: 'settle' };

/** Something is put off on purpose; the rest of the plan is carried out all the same. */
export interface WaitAction {
  readonly type: 'wait';
  readonly message: string;
  /** When it may be tried. */
  readonly requeueAfterMs: number;
}

/** Ends the plan with an error: what was observed forbids to go on, and trying again later may help. */
export interface AbortAction {
  readonly type: 'abort';
  readonly message: string;
}

/** What to say and to remember of an action that writes. */
export interface Reported {
  /** Reported for each object; `%n` stands for its name. */
  readonly done?: PlannedEvent;
  /** Reported when it fails; the error follows the note, after a comma unless the note ends in a colon. */
  readonly failed?: PlannedEvent;
  /** The reason of the ReplicaFailure condition when it fails. */
  readonly failure?: string;
  readonly isOptional?: boolean;
  /** Optional where nobody has allowed it to us; any other error is one. */
  readonly mayBeForbidden?: boolean;
  /** The rest of the plan does not depend on it: it goes on, and counts as failed in the end. */
  readonly continueOnFailure?: boolean;
}

/** Something to tell the user about the object. */
export interface PlannedEvent {
  readonly severity: 'Normal' | 'Warning';
  readonly reason: string;
  /** What was done or tried, e.g. `Create`. */
  readonly action: string;
  readonly note: string;
}

/** How carrying out a plan ended. */
export type PlanOutcome = (
  | { readonly kind: 'done' }
  /** Nothing is wrong: something has to be gone first, or to wait. */
  | { readonly kind: 'waiting'; readonly message: string; readonly requeueAfterMs?: number }
  | { readonly kind: 'failed'; readonly message: string; readonly failure?: string | undefined }
) & {
  /** Groups of which a creation was refused. */
  readonly refusedGroups?: readonly string[];
  /** What we asked for and may not do, one sentence each; also that of optional steps. */
  readonly missingPermissions?: readonly string[];
};

/** Nothing to do until something changes. */
export const NOTHING: Plan = { actions: [] };

export function normal(reason: string, action: string, note: string): PlannedEvent {
  return { severity: 'Normal', reason, action, note };
}

export function warning(reason: string, action: string, note: string): PlannedEvent {
  return { severity: 'Warning', reason, action, note };
}

/** A warning that validation gives. */
export function validationWarning(reason: string, note: string): Action {
  return { type: 'event', event: warning(reason, 'Validate', note) };
}
