import type { Clock } from '../clock.ts';

/** How many requests may be on their way to a server at once. */
export interface UnderWayLimit {
  /** Requests that wait longer for their answer no longer count: slow ones must not keep back the others. */
  readonly youngMs: number;
  readonly young: number;
}

interface Waiter {
  readonly start: () => void;
}

/**
 * Lets requests out in the order of their calls, so many at a time. A server that is asked for more than it can do at once answers no
 * sooner, and shows changes to those who watch later and later.
 */
export class UnderWay {
  readonly #clock: Clock;
  readonly #limit: UnderWayLimit;
  /** When each of those that count left, oldest first. */
  readonly #leftAt = new Map<symbol, number>();
  readonly #waiting = new Set<Waiter>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, limit: UnderWayLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Resolves when a request may leave; what it resolves to is to be called when its answer has come. */
  enter(signal?: AbortSignal): Promise<() => void> | (() => void) {
    if (this.#leftAt.size < this.#limit.young) return this.#leave();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(this.#leave());
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
      this.#setTimer();
    });
  }

  #leave(): () => void {
    const id = Symbol('request');
    this.#leftAt.set(id, this.#clock.now());
    return () => {
      if (this.#leftAt.delete(id)) this.#startWaiting();
    };
  }

  #startWaiting(): void {
    for (const waiter of this.#waiting) {
      if (this.#leftAt.size >= this.#limit.young) break;
      this.#waiting.delete(waiter);
      waiter.start();
    }
    this.#setTimer();
  }

  /** Only while somebody waits: for the moment at which the oldest request stops counting. */
  #setTimer(): void {
    if (this.#waiting.size === 0) {
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
      return;
    }
    if (this.#cancelTimer !== undefined) return;
    const [oldest = 0] = this.#leftAt.values();
    const { youngMs } = this.#limit;
    const leftMs = oldest + youngMs - this.#clock.now();
    this.#cancelTimer = this.#clock.setTimer(Math.min(Math.max(0, leftMs), youngMs), () => {
      this.#cancelTimer = undefined;
      this.#forgetOld();
      this.#startWaiting();
    });
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [id, leftAt] of this.#leftAt) {
      if (now - leftAt < this.#limit.youngMs && leftAt <= now) break;
      this.#leftAt.delete(id);
    }
  }
}
