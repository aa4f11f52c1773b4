import { isConflict, isNamespaceGone, isNotFound } from '@manta/kube';
import type { AbortAction, Action, PlanOutcome, Reported, Rewrite, WaitAction } from '@manta/plan';
import { OutdatedError, toKey } from '@manta/runtime';
import { missingPermission } from '../permissions/missing-permission.ts';
import { type Actor, emit, namespaceOf, recordWrite, TYPES } from './actor.ts';
import { createObjects, StillDeleting } from './create-objects.ts';
import { inBatches } from './in-batches.ts';
import { OutcomeRecord, type Problem } from './outcome-record.ts';
import { NotOurs, rewrite } from './rewrite.ts';

/**
 * Carries out a plan's actions in order, up to the first failure on which the rest depends; consecutive deletions run in parallel. Throws
 * when an object has changed since it was read: the plan is outdated, and the next reconcile plans again. Only this folder writes to the
 * API server.
 */
export async function act(actions: readonly Action[], actor: Actor): Promise<PlanOutcome> {
  const record = new OutcomeRecord();
  const missed = new Set<string>();
  for (const step of stepsOf(actions)) {
    let isOver = false;
    await inBatches(step, actor.clock, async (action) => {
      if (action.type === 'create' && action.needs !== undefined && missed.has(nameOf(action.needs))) return undefined;
      const problem = await tryOut(action, actor);
      if (problem === undefined) return undefined;
      if (action.type === 'create')
        for (const each of action.objects) missed.add(nameOf({ kind: action.kind, name: each.metadata?.name }));
      if (record.note(problem)) isOver = true;
      return problem.kind === 'optional' ? undefined : problem;
    });
    if (isOver) break;
  }
  return record.outcome();
}

function nameOf({ kind, name = '' }: { readonly kind: string; readonly name?: string | undefined }): string {
  return `${kind}/${name}`;
}

function stepsOf(actions: readonly Action[]): readonly (readonly Action[])[] {
  const steps: Action[][] = [];
  for (const action of actions) {
    const last = steps.at(-1);
    const isNext = action.type === 'delete' && action.afterOthers !== true;
    if (isNext && last?.[0]?.type === 'delete' && last[0].afterOthers !== true) last.push(action);
    else steps.push([action]);
  }
  return steps;
}

/** Undefined after a success. */
async function tryOut(action: Action, actor: Actor): Promise<Problem | undefined> {
  if (action.type === 'abort') return { kind: 'failed', message: action.message };
  if (action.type === 'wait')
    return { kind: 'waiting', message: action.message, requeueAfterMs: action.requeueAfterMs, continueOnFailure: true };
  try {
    await carryOut(action, actor);
    return undefined;
  } catch (error) {
    if (actor.context.signal.aborted) throw error;
    return failed(action, actor, error);
  }
}

function failed(action: Exclude<Action, AbortAction | WaitAction>, actor: Actor, error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StillDeleting) return { kind: 'waiting', message };
  const reported: Reported = action.type === 'event' || action.type === 'ray' ? {} : action;
  if (error instanceof OutdatedError) throw error;
  if (isConflict(error) && action.type !== 'create' && reported.isOptional !== true) throw error;
  if (isNotFound(error) && (action.type === 'patch' || action.type === 'update') && reported.isOptional !== true)
    throw new OutdatedError(`the object to ${action.type} no longer exists: ${message}`, { cause: error });
  if (action.type === 'create' && isNamespaceGone(error)) {
    // The object itself is deleted with its namespace: an error would be noise, and a retry cannot succeed.
    const continueOnFailure = reported.continueOnFailure === true || reported.isOptional === true;
    return { kind: 'waiting', message, requeueAfterMs: NAMESPACE_GONE_MS, continueOnFailure, group: action.group };
  }
  if (reported.failed !== undefined)
    emit(actor, { ...reported.failed, note: withError(reported.failed.note, message) });
  const missing = missingPermission(error);
  const isSkipped = action.type === 'create' && action.whenForeign === 'skip' && error instanceof NotOurs;
  if (reported.isOptional === true || isSkipped || (reported.mayBeForbidden === true && missing !== undefined)) {
    actor.context.log.warn('An optional step failed', { action: action.type, error: message });
    return { kind: 'optional', missing };
  }
  const group = action.type === 'create' ? action.group : undefined;
  return {
    kind: 'failed',
    message,
    failure: reported.failure,
    continueOnFailure: reported.continueOnFailure,
    group,
    missing,
  };
}

/** Retry interval in a namespace that is being deleted; only a finalizer keeps a namespace for longer. */
const NAMESPACE_GONE_MS = 60_000;

/** A note that ends in a colon is followed by the error itself, any other by a comma and the error. */
function withError(note: string, message: string): string {
  return note.endsWith(':') ? `${note} ${message}` : `${note}, ${message}`;
}

async function carryOut(action: Exclude<Action, AbortAction | WaitAction>, actor: Actor): Promise<void> {
  switch (action.type) {
    case 'event':
      emit(actor, action.event);
      return;
    case 'ray':
      actor.askRay?.(action);
      return;
    case 'create':
      await createObjects(action, actor);
      return;
    case 'update':
    case 'patch':
    case 'delete':
      await rewriteOne(action, actor);
      break;
  }
  if (action.done !== undefined) emit(actor, action.done);
}

async function rewriteOne(action: Rewrite, actor: Actor): Promise<void> {
  const { client, context, object: reconciled } = actor;
  const informer = actor.informerOf(action.kind);
  const { signal } = context;
  const written = await rewrite(action, { client, type: TYPES[action.kind], reconciled, informer, signal });
  if (action.type !== 'delete') recordWrite(actor, action.kind, written);
  // Also if it no longer existed: a cache that still shows it is stale.
  else if (informer !== undefined)
    context.deleted(informer, toKey(namespaceOf(actor), action.name), action.uid, written);
}
