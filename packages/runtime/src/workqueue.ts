import { type Clock, type RateLimit, TokenBucket } from '@manta/kube';
import { type Backoff, backoffDelay } from './backoff.ts';
import { DueTimes } from './due-times.ts';
import type { ObjectKey } from './object-key.ts';
import { onwardClock } from './onward-clock.ts';
import { PRIORITY, type Priority, PriorityLanes } from './priority-lanes.ts';
import { silentObserver, type WorkQueueObserver, type WorkQueueView } from './workqueue-metrics.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly observe?: (view: WorkQueueView) => WorkQueueObserver;
  /** How long a key waits after each failure. Default: 5 ms, doubling, at most 1000 s. */
  readonly backoff?: Backoff;
  /** How many retries of all keys together are let through. Default: 10 a second, 100 at once. */
  readonly retryRate?: RateLimit;
}

const BACKOFF: Backoff = { initialMs: 5, factor: 2, maxMs: 1_000_000 };
/** Timers cannot be set further ahead; a longer delay is slept in stretches. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const RETRY_RATE: RateLimit = { qps: 10, burst: 100 };

/**
 * Keys that need work. A key is in it once, however often it is added; it is never handed out while somebody still works on it, and
 * what was added meanwhile is handed out afterwards. A key is at one place only:
 *
 *     delayed ──► ready ──► running ──► (done)
 *                   ▲          │ added again while running
 *                   └──────────┘
 */
export class WorkQueue implements WorkQueueView {
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #retryTokens: TokenBucket;
  readonly #observer: WorkQueueObserver;
  readonly #ready = new PriorityLanes();
  readonly #readySince = new Map<ObjectKey, number>();
  readonly #delayed = new DueTimes();
  readonly #delayedPriority = new Map<ObjectKey, Priority>();
  /** When work on each running key began. */
  readonly #running = new Map<ObjectKey, number>();
  /** Keys to hand out again once the work on them has ended. */
  readonly #again = new Map<ObjectKey, Priority>();
  readonly #failures = new Map<ObjectKey, number>();
  readonly #takers: ((key: ObjectKey | undefined) => void)[] = [];
  #timer: { readonly dueAt: number; readonly cancel: () => void } | undefined;
  #closing: 'no' | 'drain' | 'now' = 'no';
  readonly #idle: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.#clock = onwardClock(options.clock);
    this.#backoff = options.backoff ?? BACKOFF;
    this.#retryTokens = new TokenBucket(this.#clock, options.retryRate ?? RETRY_RATE);
    this.#observer = options.observe?.(this) ?? silentObserver;
  }

  /** How many keys are ready to be handed out. */
  get size(): number {
    return this.#ready.size;
  }

  /** How many keys are being worked on. */
  get runningCount(): number {
    return this.#running.size;
  }

  depth(priority: Priority): number {
    return this.#ready.depth(priority);
  }

  runningMs(): readonly number[] {
    const now = this.#clock.now();
    return [...this.#running.values()].map((since) => now - since);
  }

  /** Makes a key ready, now and no later: a delay it was waiting for is over. The higher of two priorities counts. */
  add(key: ObjectKey, priority: Priority = PRIORITY.normal): void {
    if (this.#closing !== 'no') return;
    this.#enqueue(key, higher(this.#undelay(key), priority));
    this.#serve();
  }

  /** Makes a key ready after `delayMs`, unless it is so earlier anyway. Of two delays the shorter counts. */
  addAfter(key: ObjectKey, delayMs: number, priority: Priority = PRIORITY.normal): void {
    if (this.#closing !== 'no') return;
    if (delayMs <= 0) {
      this.add(key, priority);
      return;
    }
    if (this.#ready.priorityOf(key) !== undefined || this.#again.has(key)) return;
    this.#delayed.setEarlier(key, this.#clock.now() + delayMs);
    this.#delayedPriority.set(key, higher(this.#delayedPriority.get(key), priority));
    this.#setTimer();
  }

  /** Makes a key ready again after a failure, later with each failure until {@link forget}. Returns the delay. */
  retry(key: ObjectKey, priority?: Priority): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const delayMs = Math.ceil(Math.max(backoffDelay(this.#backoff, failures), this.#retryTokens.reserve()));
    this.#observer.retried();
    this.addAfter(key, delayMs, priority);
    return delayMs;
  }

  /** Forgets a key's failures. */
  forget(key: ObjectKey): void {
    this.#failures.delete(key);
  }

  /** How often a key has failed since it was last forgotten. */
  failures(key: ObjectKey): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key; the caller must call {@link done} for it. Undefined when the queue is shut down. */
  take(): Promise<ObjectKey | undefined> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#serve();
    });
  }

  /** The work on a key has ended, well or not. */
  done(key: ObjectKey): void {
    const since = this.#running.get(key);
    if (since === undefined) return;
    this.#running.delete(key);
    this.#observer.finished(this.#clock.now() - since);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again !== undefined) this.#makeReady(key, again);
    this.#serve();
  }

  /**
   * Takes nothing more in; delayed keys are dropped. With `drain`, what is ready is still handed out, else it is dropped too.
   * Resolves when no key is being worked on (nor, draining, left).
   */
  shutDown(options: { readonly drain: boolean }): Promise<void> {
    this.#closing = options.drain ? 'drain' : 'now';
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#delayed.clear();
    this.#delayedPriority.clear();
    if (!options.drain) {
      this.#ready.clear();
      this.#readySince.clear();
      this.#again.clear();
    }
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#serve();
    });
  }

  #enqueue(key: ObjectKey, priority: Priority): void {
    if (this.#running.has(key)) {
      if (!this.#again.has(key)) this.#observer.added();
      this.#again.set(key, higher(this.#again.get(key), priority));
    } else if (this.#makeReady(key, priority)) this.#observer.added();
  }

  #makeReady(key: ObjectKey, priority: Priority): boolean {
    const isNew = this.#ready.add(key, priority);
    if (isNew) this.#readySince.set(key, this.#clock.now());
    return isNew;
  }

  #serve(): void {
    while (this.#takers.length > 0) {
      const taken = this.#ready.take();
      if (taken === undefined) break;
      const now = this.#clock.now();
      this.#observer.started(now - (this.#readySince.get(taken.key) ?? now));
      this.#readySince.delete(taken.key);
      this.#running.set(taken.key, now);
      this.#takers.shift()?.(taken.key);
    }
    if (this.#closing === 'no' || this.#ready.size > 0 || this.#again.size > 0) return;
    for (const taker of this.#takers.splice(0)) taker(undefined);
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #undelay(key: ObjectKey): Priority | undefined {
    const priority = this.#delayedPriority.get(key);
    this.#delayed.delete(key);
    this.#delayedPriority.delete(key);
    return priority;
  }

  #releaseDue(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let key = this.#delayed.takeDue(now); key !== undefined; key = this.#delayed.takeDue(now)) {
      this.#enqueue(key, this.#undelay(key) ?? PRIORITY.normal);
    }
    this.#setTimer();
    this.#serve();
  }

  #setTimer(): void {
    const dueAt = this.#delayed.earliest();
    if (dueAt === this.#timer?.dueAt) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (dueAt === undefined) return;
    const delayMs = Math.min(MAX_TIMER_MS, Math.max(0, dueAt - this.#clock.now()));
    const cancel = this.#clock.setTimer(delayMs, () => this.#releaseDue());
    this.#timer = { dueAt, cancel };
  }
}

function higher(a: Priority | undefined, b: Priority): Priority {
  return a !== undefined && a > b ? a : b;
}
