import type { KubeObject } from '@manta/api';
import type { CreateAction, Plan, PlanOutcome, Progress, RayAction, ReconcilePlan, WrittenKind } from '@manta/plan';
import type { EventRecorder, Informer, ObjectKey, ReconcileContext } from '@manta/runtime';
import type { StatusDebounce } from './status-debounce.ts';

/** A custom resource whose status the pipeline writes. */
export type Reconciled<Status> = KubeObject & { readonly status?: Status };

/** What else has to be read before a plan can be made; every kind adds its own fields. */
export interface ReadNeeds {
  /** The cache is not enough for this decision: observe again, from the API server. */
  readonly live?: boolean;
}

/**
 * Everything the reconcile pipeline has to know about one kind. `observe` and `read` do I/O, `needs`, `plan` and `remember` are pure
 * functions of the plan package. The pipeline does the rest: it acts, emits events, writes the status, retries and keeps the memory.
 */
export interface KindDefinition<Observed, Status, Memory = undefined, Needs extends ReadNeeds = ReadNeeds> {
  readonly kind: WrittenKind;
  readonly events: EventRecorder;
  /** The informer that will show a write of ours; undefined for kinds that the operator does not watch. */
  readonly informerOf: (kind: WrittenKind) => Informer | undefined;
  /** The memory of a key that was not reconciled before. */
  readonly emptyMemory: Memory;
  /** Everything that is known without asking; undefined: the object no longer exists. With `live` freshness, as the API server has it. */
  observe(context: ReconcileContext): Promise<Observed | undefined>;
  objectOf(observed: Observed): Reconciled<Status>;
  /** What the plan needs beyond that. Called again after `read`: what was read may show that the cache is stale. */
  needs?(observed: Observed, memory: Memory): Needs;
  read?(observed: Observed, needs: Needs, context: ReconcileContext): Promise<Observed>;
  plan(observed: Observed, memory: Memory): ReconcilePlan<Status, Memory>;
  /** The memory after something happened; absent: what the plan returned is kept as it is. */
  remember?(memory: Memory, progress: Progress<Status>): Memory;
  /** How status writes are delayed to combine them; absent: every change is written at once. */
  readonly debounce?: StatusDebounce<Reconciled<Status>, Status>;
  /** True: an event that a plan repeats is emitted only when it comes up, after a change of the spec, and once an hour. */
  readonly deduplicatesEvents?: boolean;
  /**
   * When to reconcile again because of the status; `after` is `before` when nothing was written. 0 means at once, even after a failed
   * plan: our own status write triggers no reconcile, and the next decision starts from it.
   */
  requeueAfterStatusMs?(before: Status | undefined, after: Status | undefined): number | undefined;
  readonly retry?: Partial<RetryPolicy>;
  /** Hands a command to a Ray head without waiting for the answer. */
  askRay?(action: RayAction, observed: Observed, key: ObjectKey): void;
  /**
   * Called before `observe`. The result is asked just before each creation whether the caches have shown since then that the plan is
   * outdated.
   */
  watchForChange?(key: ObjectKey): (action: CreateAction) => boolean;
  /** For metrics. */
  statusWritten?(object: Reconciled<Status>, status: Status, now: number): void;
  /** The object no longer exists: drop what is kept of it outside of the pipeline. */
  forget?(key: ObjectKey): void;
}

/** When a plan is tried again that was not carried out to its end. */
export interface RetryPolicy {
  /** Something has to end first. */
  readonly waitingMs: (outcome: Extract<PlanOutcome, { kind: 'waiting' }>, plan: Plan) => number;
  /** Undefined: with exponential backoff. */
  readonly failedMs: (plan: Plan) => number | undefined;
}
