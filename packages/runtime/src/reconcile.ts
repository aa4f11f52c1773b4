import type { KubeObject } from '@manta/api';
import type { Status } from '@manta/kube';
import type { Logger } from './logger.ts';
import type { ObjectKey } from './object-key.ts';
import type { BarrierInformer, PendingWrite } from './write-barrier.ts';

/** How a reconcile ended well. To end badly, throw: the key comes back with growing delays. */
export type ReconcileResult =
  | { readonly kind: 'done' }
  /** Come back after this long even if nothing changes. */
  | { readonly kind: 'requeue-after'; readonly delayMs: number };

/** Nothing left to do until something changes. */
export const done: ReconcileResult = { kind: 'done' };

/** Nothing left to do for `delayMs`. */
export function requeueAfter(delayMs: number): ReconcileResult {
  return { kind: 'requeue-after', delayMs };
}

/** A failure that trying again cannot mend: it is reported, and the key rests until something changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** What was decided no longer holds: what it was about has changed since. Everyday, as a write conflict is, and met by deciding anew. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';
}

/** A reconcile took longer than its controller allows. */
export class ReconcileTimeout extends Error {
  override readonly name = 'ReconcileTimeout';
}

/** A reconcile gave up because the process may not lead any more; its key comes back when it leads again. */
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
   * `live`: the informers have not shown our last writes in time (`pendingWrites`), so what they hold must not be acted upon. Read from the
   * server what a decision needs.
   */
  readonly freshness: 'cached' | 'live';
  readonly pendingWrites: readonly PendingWrite[];
  /** Tell of every write, so that the next reconcile of this key waits until the informer has seen it. */
  wrote(informer: BarrierInformer, written: KubeObject): void;
  deleted(informer: BarrierInformer, key: ObjectKey, uid: string, answer: KubeObject | Status): void;
}

/** Brings the world closer to what the object of this key asks for. Called for one key at a time, for many keys at once. */
export type Reconcile = (key: ObjectKey, context: ReconcileContext) => Promise<ReconcileResult>;
