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

/** Kinds of child objects. */
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

/** Kinds that a plan writes to: child objects, and the reconciled custom resource. */
export type WrittenKind = ChildKind | 'RayService' | 'RayCronJob';

/** Creates objects of one kind in parallel batches of growing size; the first failure stops the rest. */
export interface CreateAction extends Reported {
  readonly type: 'create';
  readonly kind: ChildKind;
  readonly objects: readonly KubeObject[];
  /** Whether an existing object of that name counts as created: always, only if it is ours and not being deleted, or never. */
  readonly whenExists: 'fine' | 'fine-if-ours' | 'failure';
  /** If another owner has an object of that name, only this action is skipped. Absent: the plan ends. */
  readonly whenForeign?: 'skip';
  /** Another object of this plan; if it could not be created, this action is skipped. */
  readonly needs?: { readonly kind: ChildKind; readonly name: string };
  /** The worker group whose creation backoff grows when these are refused. */
  readonly group?: string;
}

/** Replaces an object that was read at the resourceVersion it carries. */
export interface UpdateAction extends Reported {
  readonly type: 'update';
  readonly kind: WrittenKind;
  readonly object: KubeObject;
  readonly target: Target;
}

/** A merge patch of the observed object. With a resourceVersion inside, a newer object causes a conflict. */
export interface PatchAction extends Reported {
  readonly type: 'patch';
  readonly kind: WrittenKind;
  readonly name: string;
  readonly patch: unknown;
  readonly target: Target;
}

/** Deletes the observed object: its uid is a precondition. An object that no longer exists counts as deleted. */
export interface DeleteAction extends Reported {
  readonly type: 'delete';
  readonly kind: WrittenKind;
  readonly name: string;
  readonly uid: string;
  readonly target: Target;
  /** Waits until the deletions before it in the plan have succeeded; otherwise consecutive deletions run in parallel. */
  readonly afterOthers?: boolean;
  /** The deletion's propagation policy; absent: the API server's default. */
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

/** A step is delayed on purpose; the rest of the plan is carried out. */
export interface WaitAction {
  readonly type: 'wait';
  readonly message: string;
  /** When to try it. */
  readonly requeueAfterMs: number;
}

/** Ends the plan with an error because of what was observed. The key is retried with backoff. */
export interface AbortAction {
  readonly type: 'abort';
  readonly message: string;
}

/** Events and effects of an action that writes, by its outcome. */
export interface Reported {
  /** Emitted for each object after a success; `%n` stands for its name. */
  readonly done?: PlannedEvent;
  /** Emitted after a failure; the error is appended to the note, after a comma unless the note ends in a colon. */
  readonly failed?: PlannedEvent;
  /** The reason of the ReplicaFailure condition when it fails. */
  readonly failure?: string;
  readonly isOptional?: boolean;
  /** A 403 is ignored because the permission is optional; other failures are errors. */
  readonly mayBeForbidden?: boolean;
  /** After a failure the rest of the plan is still carried out, and the plan counts as failed. */
  readonly continueOnFailure?: boolean;
}

/** An event about the object. */
export interface PlannedEvent {
  readonly severity: 'Normal' | 'Warning';
  readonly reason: string;
  /** The event's action, e.g. `Create`. */
  readonly action: string;
  readonly note: string;
}

/** How carrying out a plan ended. */
export type PlanOutcome = (
  | { readonly kind: 'done' }
  /** No error: an object must be deleted first, or a step is delayed. */
  | { readonly kind: 'waiting'; readonly message: string; readonly requeueAfterMs?: number }
  | { readonly kind: 'failed'; readonly message: string; readonly failure?: string | undefined }
) & {
  /** Worker groups with a refused creation. */
  readonly refusedGroups?: readonly string[];
  /** Permissions that the operator lacks, one sentence each; including those of optional steps. */
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

/** A warning event of validation. */
export function validationWarning(reason: string, note: string): Action {
  return { type: 'event', event: warning(reason, 'Validate', note) };
}
