import { isConflict } from '@manta/kube';
import { type ControllerMetrics, controllerMetrics, type ReconcileOutcome } from './controller-metrics.ts';
import type { Informer } from './informer.ts';
import type { Logger } from './logger.ts';
import { namespaceOf, type ObjectKey, refOf } from './object-key.ts';
import type { Priority } from './priority-lanes.ts';
import { Readiness } from './readiness.ts';
import {
  OutdatedError,
  type Reconcile,
  type ReconcileContext,
  type ReconcileResult,
  ReconcileSuspended,
  ReconcileTimeout,
  TerminalError,
} from './reconcile.ts';
import type { Source } from './source.ts';
import { WorkQueue, type WorkQueueOptions } from './workqueue.ts';
import { observeWorkQueue } from './workqueue-metrics.ts';
import type { World } from './world.ts';
import { type PendingWrite, WriteBarrier } from './write-barrier.ts';

export interface ControllerOptions {
  /** In metrics and messages, e.g. `raycluster`. */
  readonly name: string;
  /** The kind that keys stand for; log lines carry the object under this name. */
  readonly kind?: string | undefined;
  readonly reconcile: Reconcile;
  readonly sources: readonly Source[];
  /** How many keys may be worked on at once. Waiting costs nothing, so the default is generous: 100. */
  readonly concurrency?: number | undefined;
  /** Informers that a reconcile reads and cannot do without, besides those of the sources. */
  readonly required?: readonly Informer[];
  /** Informers that a reconcile can do without: they are waited for, but not while they are forbidden or absent. */
  readonly optional?: readonly Informer[];
  /** Timeout of a reconcile: its signal is aborted after this long. Default: none. */
  readonly reconcileTimeoutMs?: number | undefined;
  /** How long the cache is given to show our own writes before a reconcile must read from the server. Default: 10 s. */
  readonly lateAfterMs?: number | undefined;
  readonly queue?: Pick<WorkQueueOptions, 'backoff' | 'retryRate'>;
}

/** Whether a controller works, and if not, why. */
export type ControllerStatus =
  | { readonly state: 'on' }
  | { readonly state: 'off'; readonly reason: string }
  | { readonly state: 'stopped' };

export interface Controller {
  readonly name: string;
  status(): ControllerStatus;
  /** Asks for a reconcile; safe to call at any time. */
  enqueue(key: ObjectKey, priority?: Priority): void;
  /** The keys that are being worked on. */
  running(): readonly ObjectKey[];
  /** The keys that a worker has been busy with for ten minutes or more without a write. */
  stuck(): readonly ObjectKey[];
  /** Gives up running reconciles and starts no other; their keys wait for {@link resume}. */
  suspend(): void;
  resume(): void;
  /**
   * Works until `stop` is aborted, then takes no more keys and resolves when the last reconcile has ended; `abort` makes the
   * reconciles' own signals fire. Never rejects.
   */
  run(stop: AbortSignal, abort: AbortSignal): Promise<void>;
}

/** What a controller needs of the {@link World}: it reads and writes through what its reconcile was given. */
export type ControllerWorld = Pick<World, 'clock' | 'random' | 'log' | 'metrics'>;

const CONCURRENCY = 100;
/** A reconcile without progress for this long is reported as stuck: every request has a timeout of a minute at most. */
export const STUCK_MS = 600_000;
const LISTEN_EVERY_MS = 5;

/** A controller that does nothing until it is run. */
export function createController(world: ControllerWorld, options: ControllerOptions): Controller {
  return new QueueController(world, options);
}

class QueueController implements Controller {
  readonly name: string;
  readonly #world: ControllerWorld;
  readonly #options: ControllerOptions;
  readonly #log: Logger;
  readonly #concurrency: number;
  readonly #metrics: ControllerMetrics;
  readonly #queue: WorkQueue;
  #listenedAt = 0;
  #turn: Promise<void> | undefined;
  readonly #barrier: WriteBarrier;
  readonly #readiness: Readiness;
  /** Keys that wait for an informer to become ready; they come back when one does. */
  readonly #waiting = new Set<ObjectKey>();
  readonly #running = new Map<ObjectKey, AbortController>();
  readonly #stuck = new Set<ObjectKey>();
  /** Keys whose reconcile has written something since the last check. */
  readonly #moved = new Set<ObjectKey>();
  #isSuspended = false;
  #state: 'new' | 'running' | 'stopped' = 'new';

  constructor(world: ControllerWorld, options: ControllerOptions) {
    this.name = options.name;
    this.#world = world;
    this.#options = options;
    this.#log = world.log
      .named('controllers')
      .named(options.kind ?? options.name)
      .with({ controller: options.name });
    this.#concurrency = Math.max(1, options.concurrency ?? CONCURRENCY);
    this.#metrics = controllerMetrics(world.metrics, options.name, this.#concurrency);
    this.#queue = new WorkQueue({
      ...options.queue,
      clock: world.clock,
      observe: (view) => observeWorkQueue(world.metrics, options.name, view),
    });
    this.#barrier = new WriteBarrier(world.clock, options.lateAfterMs, (owner) => this.enqueue(owner));
    const optional = new Set(options.optional ?? []);
    const fromSources = options.sources.map(({ informer }) => informer).filter((informer) => !optional.has(informer));
    this.#readiness = new Readiness([...new Set([...fromSources, ...(options.required ?? [])])], [...optional]);
  }

  status(): ControllerStatus {
    if (this.#state === 'stopped') return { state: 'stopped' };
    if (this.#state === 'new') return { state: 'off', reason: 'not started' };
    const reason = this.#readiness.whyNot();
    return reason === undefined ? { state: 'on' } : { state: 'off', reason };
  }

  /** A queued key no longer waits for the write barrier; the barrier is checked again when a worker takes the key. */
  enqueue(key: ObjectKey, priority?: Priority): void {
    this.#waiting.delete(key);
    this.#barrier.stopWaiting(key);
    this.#queue.add(key, priority);
  }

  running(): readonly ObjectKey[] {
    return [...this.#running.keys()];
  }

  stuck(): readonly ObjectKey[] {
    return [...this.#stuck];
  }

  suspend(): void {
    this.#isSuspended = true;
    const reason = new ReconcileSuspended('it is in doubt whether this process still leads');
    for (const giveUp of this.#running.values()) giveUp.abort(reason);
  }

  resume(): void {
    this.#isSuspended = false;
    this.#readinessChanged();
  }

  async run(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    this.#state = 'running';
    const detach = this.#options.sources.map((source) => source.attach((key, priority) => this.enqueue(key, priority)));
    detach.push(this.#readiness.onChange(() => this.#readinessChanged()));
    const shutDown = () => void this.#queue.shutDown({ drain: false });
    const abortRunning = () => {
      for (const controller of this.#running.values()) controller.abort(abort.reason);
    };
    stop.addEventListener('abort', shutDown, { once: true });
    abort.addEventListener('abort', abortRunning, { once: true });
    if (stop.aborted) shutDown();
    this.#readinessChanged();
    await Promise.all(Array.from({ length: this.#concurrency }, () => this.#work(abort)));
    for (const undo of detach) undo();
    abort.removeEventListener('abort', abortRunning);
    this.#state = 'stopped';
  }

  async #work(abort: AbortSignal): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      const isFree = this.#mayStart(key);
      if (isFree) await this.#reconcile(key, abort);
      this.#queue.done(key);
      await this.#listen();
    }
  }

  /** Yields to the event loop: a thousand reconciles without I/O would delay responses to the others. */
  async #listen(): Promise<void> {
    const { clock } = this.#world;
    if (clock.turn === undefined) return;
    if (this.#turn === undefined && clock.now() - this.#listenedAt < LISTEN_EVERY_MS) return;
    this.#turn ??= this.#takeTurn(clock.turn);
    await this.#turn;
  }

  async #takeTurn(turn: () => Promise<void>): Promise<void> {
    await turn();
    this.#listenedAt = this.#world.clock.now();
    this.#turn = undefined;
  }

  /** Holds a key back while an informer it needs is not ready, or has not seen what we last wrote for it. */
  #mayStart(key: ObjectKey): boolean {
    if (this.#isSuspended || this.#readiness.whyNot(namespaceOf(key)) !== undefined) {
      this.#waiting.add(key);
      return false;
    }
    if (this.#barrier.state(key).kind !== 'waiting') return true;
    this.#barrier.whenOver(key, () => this.enqueue(key));
    return false;
  }

  #readinessChanged(): void {
    const status = this.status();
    if (status.state === 'off') this.#log.debug('Controller waits', { reason: status.reason });
    if (this.#isSuspended) return;
    for (const key of this.#waiting) {
      if (this.#readiness.whyNot(namespaceOf(key)) !== undefined) continue;
      this.enqueue(key);
    }
  }

  async #reconcile(key: ObjectKey, abort: AbortSignal): Promise<void> {
    const { clock, random } = this.#world;
    const { name, namespace } = refOf(key);
    const { kind } = this.#options;
    const object = kind === undefined ? {} : { [kind]: { name, namespace } };
    const log = this.#log.with({ ...object, namespace, name, reconcileID: randomId(random) });
    const state = this.#barrier.state(key);
    const pendingWrites = state.kind === 'late' ? state.pending : [];
    if (pendingWrites.length > 0) this.#reportLate(log, pendingWrites);
    const giveUp = new AbortController();
    this.#running.set(key, giveUp);
    if (abort.aborted) giveUp.abort(abort.reason);
    const cancelTimeout = this.#setTimeout(giveUp);
    const cancelStuck = this.#watchProgress(key);
    const startedAt = clock.now();
    this.#metrics.started();
    let outcome: ReconcileOutcome = 'error';
    try {
      const result = await this.#options.reconcile(key, this.#context(key, giveUp.signal, log, pendingWrites));
      outcome = this.#succeeded(key, result);
    } catch (error) {
      outcome = this.#failed(key, error, giveUp.signal, log);
    } finally {
      cancelTimeout();
      cancelStuck();
      this.#stuck.delete(key);
      this.#moved.delete(key);
      this.#running.delete(key);
      this.#metrics.ended(outcome, clock.now() - startedAt);
    }
  }

  #context(key: ObjectKey, signal: AbortSignal, log: Logger, pendingWrites: readonly PendingWrite[]): ReconcileContext {
    const { name, namespace } = refOf(key);
    return {
      key,
      name,
      namespace,
      signal,
      log,
      freshness: pendingWrites.length > 0 ? 'live' : 'cached',
      pendingWrites,
      wrote: (informer, written) => {
        this.#moved.add(key);
        this.#barrier.wrote(key, informer, written);
      },
      deleted: (informer, object, uid, answer) => {
        this.#moved.add(key);
        this.#barrier.deleted(key, informer, object, uid, answer);
      },
    };
  }

  #succeeded(key: ObjectKey, result: ReconcileResult): ReconcileOutcome {
    this.#queue.forget(key);
    if (result.kind === 'done') return 'success';
    this.#queue.addAfter(key, result.delayMs);
    return 'requeue_after';
  }

  #failed(key: ObjectKey, error: unknown, signal: AbortSignal, log: Logger): ReconcileOutcome {
    if (signal.reason instanceof ReconcileSuspended) {
      log.info('Reconcile ended early, leadership is in doubt');
      this.#queue.add(key);
      return 'error';
    }
    if (signal.reason instanceof ReconcileTimeout) this.#metrics.timedOut();
    else if (signal.aborted) {
      log.info('Reconcile ended early, stopping');
      return 'error';
    }
    if (error instanceof TerminalError) {
      this.#queue.forget(key);
      log.error('Reconciler error', error, { isTerminal: true });
      return 'terminal';
    }
    if (isBug(error)) this.#metrics.panicked();
    const retryMs = this.#queue.retry(key);
    if (isConflict(error) || error instanceof OutdatedError)
      log.info('Object changed meanwhile, trying again', { retryMs });
    else log.error('Reconciler error', error, { retryMs });
    return 'error';
  }

  #reportLate(log: Logger, pendingWrites: readonly PendingWrite[]): void {
    this.#metrics.wasLate();
    log.warn('Cache has not shown our last writes, reading from the server', { pendingWrites });
  }

  /** A reconcile that keeps writing is not stuck: thousands of pods take longer than ten minutes on a slow API server. */
  #watchProgress(key: ObjectKey): () => void {
    this.#moved.delete(key);
    let cancel = () => {};
    const watch = () => {
      cancel = this.#world.clock.setTimer(STUCK_MS, () => {
        if (this.#moved.delete(key)) this.#stuck.delete(key);
        else this.#stuck.add(key);
        watch();
      });
    };
    watch();
    return () => cancel();
  }

  #setTimeout(giveUp: AbortController): () => void {
    const { reconcileTimeoutMs } = this.#options;
    if (reconcileTimeoutMs === undefined) return () => undefined;
    const reason = new ReconcileTimeout(`reconcile took longer than ${reconcileTimeoutMs} ms`);
    return this.#world.clock.setTimer(reconcileTimeoutMs, () => giveUp.abort(reason));
  }
}

/** Errors that only our own code can cause; those with a cause wrap something that went wrong outside. */
function isBug(error: unknown): boolean {
  const isOwn = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  return isOwn && error.cause === undefined;
}

/** In the form of a UUID, as log lines of controllers have it. */
function randomId(random: () => number): string {
  const hex = (digits: number) =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return [hex(8), hex(4), hex(4), hex(4), hex(12)].join('-');
}
