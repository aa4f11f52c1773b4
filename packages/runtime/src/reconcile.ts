import type { KubeObject } from '@manta/api';
import type { Status } from '@manta/kube';
import type { Logger } from './logger.ts';
import type { ObjectKey } from './object-key.ts';
import type { BarrierInformer, PendingWrite } from './write-barrier.ts';

/** The result of a successful reconcile. If it throws, the key is requeued with exponential backoff. */
export type ReconcileResult =
  | { readonly kind: 'done' }
  /** Requeue after this long even if nothing changes. */
  | { readonly kind: 'requeue-after'; readonly delayMs: number };

/** Nothing left to do until something changes. */
export const done: ReconcileResult = { kind: 'done' };

/** Nothing left to do for `delayMs`. */
export function requeueAfter(delayMs: number): ReconcileResult {
  return { kind: 'requeue-after', delayMs };
}

/** A failure that a retry cannot fix: it is reported, and the key is not requeued until something changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** The plan is outdated because an object has changed. As ordinary as a write conflict: the key is requeued and planned again. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';
}

/** A reconcile took longer than its controller allows. */
export class ReconcileTimeout extends Error {
  override readonly name = 'ReconcileTimeout';
}

/** A reconcile stopped because the process may have lost its leadership; its key is requeued when the process leads again. */
export class ReconcileSuspended extends Error {
  override readonly name = 'ReconcileSuspended';
}

/** What a reconcile is given besides its key. */
export interface ReconcileContext {
  readonly key: ObjectKey;
  readonly namespace: string | undefined;
  readonly name: string;
  /** Aborted when the reconcile should give up: its time is over, or the process ends. */
  readonly signal: AbortSignal;
  /** Carries controller, namespace, name and the number of this reconcile. */
  readonly log: Logger;
  /**
   * `live`: the informers have not shown our last writes in time (`pendingWrites`), so the cache is stale. Read from the API server what a
   * decision needs.
   */
  readonly freshness: 'cached' | 'live';
  readonly pendingWrites: readonly PendingWrite[];
  /** Must be called for every write: the next reconcile of this key waits until the informer shows it. */
  wrote(informer: BarrierInformer, written: KubeObject): void;
  deleted(informer: BarrierInformer, key: ObjectKey, uid: string, answer: KubeObject | Status): void;
}

/** Brings the world closer to what the object of this key asks for. Called for one key at a time, for many keys at once. */
export type Reconcile = (key: ObjectKey, context: ReconcileContext) => Promise<ReconcileResult>;
