import type { KubeObject } from '@manta/api';
import {
  apiVersionOf,
  type Clock,
  createMergePatch,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNamespaceGone,
  isNotFound,
  type KubeClient,
  METADATA,
  type ObjectRef,
  type ResourceType,
  resources,
  shapeOf,
} from '@manta/kube';
import {
  type AbortAction,
  type Action,
  type CreateAction,
  isOwn,
  type PlannedEvent,
  type PlanOutcome,
  type RayAction,
  type Reported,
  type Rewrite,
  type WaitAction,
  type WrittenKind,
} from '@manta/plan';
import { type EventRecorder, type Informer, OutdatedError, type ReconcileContext, toKey } from '@manta/runtime';
import { inBatches } from './in-batches.ts';
import { GANG_TYPES } from './observe/gang-cache.ts';
import { OutcomeRecord, type Trouble } from './outcome-record.ts';
import { missingPermission } from './permissions/missing-permission.ts';
import { GONE, NotOurs, rewrite } from './rewrite.ts';

/** What carrying out a plan needs: the object it is about, the means to write, and who will show us the result. */
export interface Actor {
  readonly client: KubeClient;
  /** Tells how long the server takes. */
  readonly clock: Pick<Clock, 'now'>;
  readonly kind: WrittenKind;
  /** As it was observed; after a write of ours to the object itself, as that write left it. */
  object: KubeObject;
  readonly events: EventRecorder;
  readonly context: Pick<ReconcileContext, 'wrote' | 'deleted' | 'signal' | 'log'>;
  readonly informerOf: (kind: WrittenKind) => Informer | undefined;
  /** Hands a question for a Ray head over, without waiting for it; kinds that ask Ray nothing have none. */
  readonly askRay?: (action: RayAction) => void;
  /** Asked just before something is made: whether it is known by now that the plan was made too early; absent: never. */
  readonly isOutdated?: (action: CreateAction) => boolean;
}

const TYPES: Readonly<Record<WrittenKind, ResourceType>> = {
  RayCluster: resources.rayClusters,
  RayJob: resources.rayJobs,
  RayService: resources.rayServices,
  RayCronJob: resources.rayCronJobs,
  Gateway: resources.gateways,
  HTTPRoute: resources.httpRoutes,
  PodDisruptionBudget: resources.podDisruptionBudgets,
  NetworkPolicy: resources.networkPolicies,
  Certificate: resources.certificates,
  Issuer: resources.issuers,
  Pod: resources.pods,
  Service: resources.services,
  ServiceAccount: resources.serviceAccounts,
  Role: resources.roles,
  RoleBinding: resources.roleBindings,
  Ingress: resources.ingresses,
  Route: resources.routes,
  Secret: resources.secrets,
  PersistentVolumeClaim: resources.persistentVolumeClaims,
  Job: resources.jobs,
  ...GANG_TYPES,
};

/**
 * Carries out a plan's actions in order, up to the first that fails and on which the rest depends; deletions that follow each other run in
 * parallel. Throws when an object has changed since it was read: the plan is outdated, and the next one will be better. The only code of
 * the operator that changes the world.
 */
export async function act(actions: readonly Action[], actor: Actor): Promise<PlanOutcome> {
  const record = new OutcomeRecord();
  const missed = new Set<string>();
  for (const step of stepsOf(actions)) {
    let isOver = false;
    await inBatches(step, actor.clock, async (action) => {
      if (action.type === 'create' && action.needs !== undefined && missed.has(nameOf(action.needs))) return undefined;
      const trouble = await tryOut(action, actor);
      if (trouble === undefined) return undefined;
      if (action.type === 'create')
        for (const each of action.objects) missed.add(nameOf({ kind: action.kind, name: each.metadata?.name }));
      if (record.note(trouble)) isOver = true;
      return trouble.kind === 'optional' ? undefined : trouble;
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

/** Undefined when all went well. */
async function tryOut(action: Action, actor: Actor): Promise<Trouble | undefined> {
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

/**
 * Writes what has changed in the object's own status; nothing else in it is touched. A conflict means that the object is no longer the
 * one that was judged: changed meanwhile, or another one under its name. Of one that is gone a cache that still shows it is behind: nothing
 * more is made for it before the cache has seen its end, since Kubernetes would remove that at once, and so on.
 */
export async function writeStatus(actor: Actor, before: unknown, after: unknown): Promise<void> {
  const status = createMergePatch(before ?? {}, after);
  if (status === undefined) return;
  const { client, kind, object, context } = actor;
  const { name = '', uid = '', resourceVersion } = object.metadata ?? {};
  const patch = { type: 'merge', body: { metadata: { resourceVersion }, status } } as const;
  const options = { subresource: 'status', signal: context.signal };
  try {
    remember(actor, kind, await client.patch(TYPES[kind], refOf(actor, name), patch, options));
  } catch (error) {
    if (!(await isGone(error, actor))) throw error;
    const informer = actor.informerOf(kind);
    if (informer !== undefined) context.deleted(informer, toKey(namespaceOf(actor), name), uid, GONE);
    throw new OutdatedError(`${kind} ${name} no longer exists`, { cause: error });
  }
}

/** Whether the object to which a write was refused is gone: not found, or another by now. */
async function isGone(refusal: unknown, actor: Actor): Promise<boolean> {
  if (!isConflict(refusal)) return isNotFound(refusal);
  const { name = '', uid } = actor.object.metadata ?? {};
  try {
    const { signal } = actor.context;
    const found = await actor.client.get(TYPES[actor.kind], refOf(actor, name), { signal });
    return found.metadata?.uid !== uid;
  } catch (error) {
    return isNotFound(error);
  }
}

function failed(action: Exclude<Action, AbortAction | WaitAction>, actor: Actor, error: unknown): Trouble {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StillGoing) return { kind: 'waiting', message };
  const told: Reported = action.type === 'event' || action.type === 'ray' ? {} : action;
  if (error instanceof OutdatedError) throw error;
  if (isConflict(error) && action.type !== 'create' && told.isOptional !== true) throw error;
  if (isNotFound(error) && (action.type === 'patch' || action.type === 'update') && told.isOptional !== true)
    throw new OutdatedError(`the object to ${action.type} no longer exists: ${message}`, { cause: error });
  if (action.type === 'create' && isNamespaceGone(error)) {
    // The object itself is deleted with its namespace: a failure to report would be noise, a retry in vain.
    const continueOnFailure = told.continueOnFailure === true || told.isOptional === true;
    return { kind: 'waiting', message, requeueAfterMs: NAMESPACE_GONE_MS, continueOnFailure, group: action.group };
  }
  if (told.failed !== undefined) tell(actor, { ...told.failed, note: withError(told.failed.note, message) });
  const missing = missingPermission(error);
  const isSkipped = action.type === 'create' && action.whenForeign === 'skip' && error instanceof NotOurs;
  if (told.isOptional === true || isSkipped || (told.mayBeForbidden === true && missing !== undefined)) {
    actor.context.log.warn('An optional step failed', { action: action.type, error: message });
    return { kind: 'optional', missing };
  }
  const group = action.type === 'create' ? action.group : undefined;
  return { kind: 'failed', message, failure: told.failure, continueOnFailure: told.continueOnFailure, group, missing };
}

/** How often a create is tried again in a namespace that is being deleted; only a finalizer keeps one for longer. */
const NAMESPACE_GONE_MS = 60_000;

/** A note that ends in a colon is followed by the error itself, any other by a comma and the error. */
function withError(note: string, message: string): string {
  return note.endsWith(':') ? `${note} ${message}` : `${note}, ${message}`;
}

async function carryOut(action: Exclude<Action, AbortAction | WaitAction>, actor: Actor): Promise<void> {
  switch (action.type) {
    case 'event':
      tell(actor, action.event);
      return;
    case 'ray':
      actor.askRay?.(action);
      return;
    case 'create':
      await createAll(action, actor);
      return;
    case 'update':
    case 'patch':
    case 'delete':
      await rewriteOne(action, actor);
      break;
  }
  if (action.done !== undefined) tell(actor, action.done);
}

/** What one object may make before it gives way to the others. */
const BULK_FROM = 8;

async function createAll(action: CreateAction, actor: Actor): Promise<void> {
  const refusal = await inBatches(action.objects, actor.clock, async (object, index) => {
    try {
      await createOne(action, object, actor, index >= BULK_FROM);
      return undefined;
    } catch (error) {
      return { error };
    }
  });
  if (refusal !== undefined) throw refusal.error;
}

/** Nothing else is asked of what was made; the objects themselves come with the watches. */
const ONLY_METADATA = shapeOf({ 1: METADATA });

/** An object of ours that is being deleted still holds the name of the one that is to come. */
class StillGoing extends Error {
  override readonly name = 'StillGoing';
}

async function createOne(action: CreateAction, object: KubeObject, actor: Actor, isBulk: boolean): Promise<void> {
  const { client, context } = actor;
  const type = TYPES[action.kind];
  if (actor.isOutdated?.(action) === true)
    throw new OutdatedError(`${type.kind} ${object.metadata?.name} was wanted by a plan that no longer holds`);
  try {
    remember(
      actor,
      action.kind,
      await client.create(type, object, { signal: context.signal, isBulk, shape: ONLY_METADATA }),
    );
  } catch (error) {
    if (!isAlreadyExists(error) || action.whenExists === 'failure') throw error;
    if (action.whenExists === 'fine') return;
    const existing = await existingOf(action, object, actor, error);
    if (!isOwn(actor.object.metadata?.uid ?? '', existing))
      throw action.whenForeign === 'skip' ? new NotOurs(foreign(type, object, actor), { cause: error }) : error;
    if (existing.metadata?.deletionTimestamp !== undefined) {
      throw new StillGoing(`${type.kind} ${existing.metadata.name} is still being deleted`, { cause: error });
    }
    // We made it before and did not hear of it: a lost answer, or a cache that is behind.
    remember(actor, action.kind, existing);
    return;
  }
  if (action.done !== undefined)
    tell(actor, { ...action.done, note: action.done.note.replace('%n', object.metadata?.name ?? '') });
}

/** The object that holds the name; where we may not read it, nothing shows that it is ours. */
async function existingOf(
  { kind, whenForeign }: CreateAction,
  object: KubeObject,
  actor: Actor,
  exists: unknown,
): Promise<KubeObject> {
  const { client, context } = actor;
  try {
    return await client.get(TYPES[kind], refOf(actor, object.metadata?.name ?? ''), { signal: context.signal });
  } catch (error) {
    if (whenForeign !== 'skip' || !isForbidden(error)) throw error;
    throw new NotOurs(foreign(TYPES[kind], object, actor), { cause: exists });
  }
}

function foreign({ kind }: ResourceType, { metadata }: KubeObject, actor: Actor): string {
  const name = `${kind} ${namespaceOf(actor)}/${metadata?.name}`;
  const owner = `${actor.kind} ${namespaceOf(actor)}/${actor.object.metadata?.name}`;
  return `${name} exists and is not controlled by ${owner}: it is not used. Delete or rename it, or rename the ${actor.kind}`;
}

async function rewriteOne(action: Rewrite, actor: Actor): Promise<void> {
  const { client, context, object: reconciled } = actor;
  const informer = actor.informerOf(action.kind);
  const { signal } = context;
  const written = await rewrite(action, { client, type: TYPES[action.kind], reconciled, informer, signal });
  if (action.type !== 'delete') remember(actor, action.kind, written);
  // Also where it no longer existed: a cache that still shows it is behind.
  else if (informer !== undefined)
    context.deleted(informer, toKey(namespaceOf(actor), action.name), action.uid, written);
}

function remember(actor: Actor, kind: WrittenKind, written: KubeObject): void {
  if (kind === actor.kind && written.metadata?.uid === actor.object.metadata?.uid) actor.object = written;
  const informer = actor.informerOf(kind);
  if (informer === undefined) return;
  const { name = '', uid = '', deletionTimestamp, finalizers = [] } = written.metadata ?? {};
  // The write that takes the last finalizer off a going custom resource is the end of it, and that is what the cache has to show.
  const isItsEnd = kind === actor.kind && deletionTimestamp !== undefined && finalizers.length === 0;
  if (isItsEnd) actor.context.deleted(informer, toKey(namespaceOf(actor), name), uid, GONE);
  else actor.context.wrote(informer, written);
}

function refOf(actor: Actor, name: string): ObjectRef {
  return { namespace: namespaceOf(actor), name };
}

function namespaceOf({ object }: Actor): string {
  return object.metadata?.namespace ?? '';
}

function tell({ events, kind, object }: Actor, { severity, reason, action, note }: PlannedEvent): void {
  const { name = '', namespace, uid, resourceVersion } = object.metadata ?? {};
  const regarding = { apiVersion: apiVersionOf(TYPES[kind]), kind, name, namespace, uid, resourceVersion };
  events.event({ regarding, type: severity, reason, action, note });
}
