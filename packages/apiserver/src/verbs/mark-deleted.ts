import { timestamp } from '@manta/api';
import { ownValue } from '@manta/base';
import { isObject, type JsonObject } from '../object/json.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import { finalizersOf, metadataOf, metaText, withMetadata } from '../object/metadata.ts';
import type { Scope } from '../requests/request.ts';
import type { DeleteParams, Propagation } from './delete-params.ts';

/** An object on its way out. */
export interface Marked {
  readonly marked: JsonObject;
  /** Something keeps it: finalizers, a grace period, a namespace's content. */
  readonly isKept: boolean;
}

/** What a delete makes of an object: when it is to be gone, and whom it waits for. */
export function markDeleted(scope: Scope, stored: JsonObject, params: DeleteParams, nowMs: number): Marked {
  const finalizers = finalizersFor(scope, stored, params);
  const grace = graceFor(scope, stored, params);
  const isKept = finalizers.length > 0 || grace > 0 || isNamespaceWithContent(stored);
  const { deletionTimestamp, generation } = metadataOf(stored);
  const isNew = deletionTimestamp === undefined;
  const isSooner = isNew || grace < currentGrace(stored);
  const marked = withMetadata(stored, {
    finalizers: finalizers.length === 0 ? undefined : [...finalizers],
    ...(isSooner
      ? { deletionTimestamp: timestamp(deadline(stored, nowMs, grace)), deletionGracePeriodSeconds: grace }
      : {}),
    ...(isNew && typeof generation === 'number' && generation > 0 ? { generation: generation + 1 } : {}),
  });
  return { marked: withTerminatingStatus(scope, marked, timestamp(nowMs)), isKept };
}

/** A shorter grace period counts from the moment of the first deletion. */
function deadline(stored: JsonObject, nowMs: number, grace: number): number {
  const before = Date.parse(metaText(stored, 'deletionTimestamp'));
  const start = Number.isNaN(before) ? nowMs : before - currentGrace(stored) * 1000;
  return Number.isNaN(before) ? nowMs + grace * 1000 : Math.max(start + grace * 1000, start);
}

function currentGrace(object: JsonObject): number {
  const grace = metadataOf(object)['deletionGracePeriodSeconds'];
  return typeof grace === 'number' ? grace : 0;
}

/** Running pods get a grace period; everything else is deleted at once. */
function graceFor(scope: Scope, stored: JsonObject, params: DeleteParams): number {
  if (!scope.resource.rules.isGraceful) return 0;
  if (textAt(stored, 'spec.nodeName') === '') return 0;
  if (['Succeeded', 'Failed'].includes(textAt(stored, 'status.phase'))) return 0;
  const own = valueAt(stored, 'spec.terminationGracePeriodSeconds');
  const wanted = params.gracePeriodSeconds ?? (typeof own === 'number' ? own : 30);
  const grace = wanted < 0 ? 1 : wanted;
  const isDeleting = metadataOf(stored)['deletionTimestamp'] !== undefined;
  return isDeleting ? Math.min(grace, currentGrace(stored)) : grace;
}

/** Keeps a CRD until all its custom resources are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

const DEPENDENT_FINALIZERS: Readonly<Record<Propagation, string | undefined>> = {
  Background: undefined,
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
};

/** The propagation policy becomes a finalizer that the garbage collector works off. */
function finalizersFor(scope: Scope, stored: JsonObject, params: DeleteParams): readonly string[] {
  const isDefinition = scope.resource.info.kind === 'CustomResourceDefinition';
  const own = finalizersOf(stored);
  const current = isDefinition && !own.includes(CLEANUP_FINALIZER) ? [...own, CLEANUP_FINALIZER] : own;
  const isDeleting = metadataOf(stored)['deletionTimestamp'] !== undefined;
  const { isGarbageCollected, orphansByDefault } = scope.resource.rules;
  const isMarked = current.includes('orphan') || current.includes('foregroundDeletion');
  const propagation = params.propagation ?? (orphansByDefault && !isMarked ? 'Orphan' : undefined);
  if (propagation === undefined || !isGarbageCollected) return current;
  const others = current.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  const wanted = ownValue(DEPENDENT_FINALIZERS, propagation);
  if (isDeleting && wanted !== undefined && !current.includes(wanted)) return [...others, wanted];
  return wanted === undefined ? others : [...others, wanted];
}

function isNamespaceWithContent(object: JsonObject): boolean {
  const finalizers = valueAt(object, 'spec.finalizers');
  return object['kind'] === 'Namespace' && Array.isArray(finalizers) && finalizers.length > 0;
}

function withTerminatingStatus({ resource }: Scope, object: JsonObject, now: string): JsonObject {
  const { group, kind } = resource.info;
  const status = isObject(object['status']) ? object['status'] : {};
  if (group === '' && kind === 'Namespace') return { ...object, status: { ...status, phase: 'Terminating' } };
  if (kind !== 'CustomResourceDefinition') return object;
  const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
  if (conditions.some((condition) => isObject(condition) && condition['type'] === 'Terminating')) return object;
  const why = {
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  const condition = { type: 'Terminating', status: 'True', lastTransitionTime: now, ...why };
  return { ...object, status: { ...status, conditions: [...conditions, condition] } };
}
