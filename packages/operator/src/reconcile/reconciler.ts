import type { Action, Plan, PlanOutcome, Progress } from '@manta/plan';
import {
  done,
  type ObjectKey,
  type Reconcile,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  type World,
} from '@manta/runtime';
import { act } from '../act/act.ts';
import type { Actor } from '../act/actor.ts';
import { writeStatus } from '../act/write-status.ts';
import { type EmittedEvents, NO_EVENTS, withoutRepeats } from './emitted-events.ts';
import type { KindDefinition, ReadNeeds, Reconciled, RetryPolicy } from './kind-definition.ts';
import { observeAndRead } from './observe-and-read.ts';
import { afterWrite, type DebounceState, debounceMs, NO_DEBOUNCE, withoutChange } from './status-debounce.ts';

/** A plan that could not be carried out to its end. The controller retries its key with exponential backoff. */
export class ReconcileAborted extends Error {
  override readonly name = 'ReconcileAborted';
}

/** How soon to check for the end of something that our caches do not show. */
const WAIT_MS = 2000;

const RETRY: RetryPolicy = {
  waitingMs: ({ requeueAfterMs }, plan) => requeueAfterMs ?? Math.min(WAIT_MS, plan.requeueAfterMs ?? WAIT_MS),
  failedMs: () => undefined,
};

/** What the pipeline keeps of one object between two reconciles. It is lost with the process, and dropped with the object. */
interface Kept<Memory> {
  memory: Memory;
  emitted: EmittedEvents;
  debounce: DebounceState;
}

/**
 * One reconcile, for every kind: observe → needs → read → plan → act → status → requeue. An error in any step ends the reconcile, and the
 * controller retries its key with exponential backoff.
 */
export function createReconciler<Observed, Status, Memory, Needs extends ReadNeeds>(
  world: Pick<World, 'client' | 'clock'>,
  definition: KindDefinition<Observed, Status, Memory, Needs>,
): Reconcile {
  const { client, clock } = world;
  const { kind, events, informerOf } = definition;
  const keptByKey = new Map<ObjectKey, Kept<Memory>>();

  return async function reconcile(key, context) {
    const isOutdated = definition.watchForChange?.(key);
    const kept = keptByKey.get(key) ?? { memory: definition.emptyMemory, emitted: NO_EVENTS, debounce: NO_DEBOUNCE };
    const observed = await observeAndRead(definition, kept.memory, context);
    if (observed === undefined) {
      keptByKey.delete(key);
      definition.forget?.(key);
      return done;
    }
    keptByKey.set(key, kept);
    const now = clock.now();
    const object = definition.objectOf(observed);
    const plan = definition.plan(observed, kept.memory);
    kept.memory = plan.memory ?? kept.memory;
    const actor: Actor = {
      client,
      clock,
      kind,
      object,
      events,
      context,
      informerOf,
      askRay: (action) => definition.askRay?.(action, observed, key),
      ...(isOutdated === undefined ? {} : { isOutdated }),
    };
    const outcome = await act(eventsOnce(plan.actions, object, kept, now), actor);
    const { generation } = object.metadata ?? {};
    remember(kept, { kind: 'acted', actions: plan.actions, outcome, generation, now: clock.now() });
    const status = plan.statusAfter?.(outcome) ?? (outcome.kind === 'done' ? plan.status : undefined);
    const { written, waitMs } = await write(actor, { object, status, outcome, now }, kept);
    return requeue(plan, outcome, { waitMs, afterMs: requeueAfterStatusMs(object.status, written) }, context);
  };

  function eventsOnce(
    actions: readonly Action[],
    { metadata }: Reconciled<Status>,
    kept: Kept<Memory>,
    now: number,
  ): readonly Action[] {
    if (definition.deduplicatesEvents !== true) return actions;
    const fresh = withoutRepeats(kept.emitted, actions, { generation: metadata?.generation, now });
    kept.emitted = fresh.emitted;
    return fresh.actions;
  }

  function remember(kept: Kept<Memory>, progress: Progress<Status>): void {
    if (definition.remember !== undefined) kept.memory = definition.remember(kept.memory, progress);
  }

  /** Writes the status unless it is unchanged or debounced. Returns what was written, or how long the change may wait. */
  async function write(
    actor: Actor,
    { object, status, outcome, now }: StatusChange<Status>,
    kept: Kept<Memory>,
  ): Promise<{ readonly written?: Status; readonly waitMs?: number }> {
    const { debounce } = definition;
    if (status === undefined) {
      // A failed plan has no status: a debounced change keeps waiting for its window.
      if (debounce !== undefined && outcome.kind === 'done') kept.debounce = withoutChange(debounce, kept.debounce);
      return {};
    }
    if (debounce !== undefined) {
      const { waitMs, state } = debounceMs(debounce, kept.debounce, { object, after: status, outcome }, now);
      kept.debounce = state;
      if (waitMs > 0) return { waitMs };
    }
    await writeStatus(actor, object.status, status);
    const writtenAt = clock.now();
    if (debounce !== undefined) kept.debounce = afterWrite(debounce, writtenAt);
    remember(kept, { kind: 'status-written', before: object.status, status, now: writtenAt });
    definition.statusWritten?.(object, status, writtenAt);
    return { written: status };
  }

  function requeueAfterStatusMs(before: Status | undefined, written: Status | undefined): number | undefined {
    return definition.requeueAfterStatusMs?.(before, written ?? before);
  }

  function requeue(
    plan: Plan,
    outcome: PlanOutcome,
    status: { readonly waitMs: number | undefined; readonly afterMs: number | undefined },
    { log }: ReconcileContext,
  ): ReconcileResult {
    if (status.afterMs === 0) return requeueAfter(0);
    switch (outcome.kind) {
      case 'waiting': {
        log.info('Waiting', { reason: outcome.message });
        const waitingMs = (definition.retry?.waitingMs ?? RETRY.waitingMs)(outcome, plan);
        return requeueSoonest(waitingMs, status.waitMs);
      }
      case 'failed': {
        const failedMs = (definition.retry?.failedMs ?? RETRY.failedMs)(plan);
        const error = new ReconcileAborted(outcome.message);
        if (failedMs === undefined) throw error;
        log.error('The plan failed', error);
        return requeueAfter(failedMs);
      }
      case 'done':
        return requeueSoonest(plan.requeueAfterMs, status.waitMs, status.afterMs);
    }
  }
}

interface StatusChange<Status> {
  readonly object: Reconciled<Status>;
  readonly status: Status | undefined;
  readonly outcome: PlanOutcome;
  readonly now: number;
}

function requeueSoonest(...delays: readonly (number | undefined)[]): ReconcileResult {
  const given = delays.filter((delay) => delay !== undefined);
  return given.length === 0 ? done : requeueAfter(Math.min(...given));
}
