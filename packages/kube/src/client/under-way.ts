import type { Clock } from '../clock.ts';

/** How many requests may be on their way to a server at once. */
export interface UnderWayLimit {
  /** Requests that wait longer for their answer no longer count: slow ones must not keep back the others. */
  readonly youngMs: number;
  readonly young: number;
}

interface Departure {
  readonly isBulk: boolean;
  readonly at: number;
}

interface Waiter {
  readonly isBulk: boolean;
  readonly since: number;
  readonly start: () => void;
}

/**
 * Lets requests out in the order of their calls, so many at a time. A server that is asked for more than it can do at once answers no
 * sooner, and shows changes to those who watch later and later. Bulk, many requests for one object, gives way for so long as others are
 * young, but none of it waits for more than that time.
 */
export class UnderWay {
  readonly #clock: Clock;
  readonly #limit: UnderWayLimit;
  /** Those that count, oldest first. */
  readonly #young = new Map<symbol, Departure>();
  readonly #waiting = new Set<Waiter>();
  /** How many of the young ones are no bulk. */
  #singles = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, limit: UnderWayLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Resolves when a request may leave; what it resolves to is to be called when its answer has come. */
  enter(signal?: AbortSignal, isBulk = false): Promise<() => void> | (() => void) {
    const since = this.#clock.now();
    if (this.#hasRoom(isBulk, since)) return this.#leave(isBulk);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(this.#leave(isBulk));
      };
      const waiter: Waiter = { isBulk, since, start };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
      this.#setTimer();
    });
  }

  #hasRoom(isBulk: boolean, since: number): boolean {
    const { young, youngMs } = this.#limit;
    if (this.#young.size >= young) return false;
    // A wait of less than nothing comes from a clock that was set back.
    return !isBulk || this.#singles === 0 || Math.abs(this.#clock.now() - since) >= youngMs;
  }

  #leave(isBulk: boolean): () => void {
    const id = Symbol('request');
    this.#young.set(id, { isBulk, at: this.#clock.now() });
    if (!isBulk) this.#singles += 1;
    return () => {
      if (this.#forget(id)) this.#startWaiting();
    };
  }

  #forget(id: symbol): boolean {
    const departure = this.#young.get(id);
    if (departure === undefined) return false;
    if (!departure.isBulk) this.#singles -= 1;
    return this.#young.delete(id);
  }

  #startWaiting(): void {
    for (const waiter of this.#waiting) {
      if (this.#young.size >= this.#limit.young) break;
      if (!this.#hasRoom(waiter.isBulk, waiter.since)) continue;
      this.#waiting.delete(waiter);
      waiter.start();
    }
    this.#setTimer();
  }

  /** Set only while callers wait: fires when the oldest request stops counting. */
  #setTimer(): void {
    if (this.#waiting.size === 0) {
      this.#cancelTimer?.();
      this.#cancelTimer = undefined;
      return;
    }
    if (this.#cancelTimer !== undefined) return;
    const [oldest] = this.#young.values();
    const { youngMs } = this.#limit;
    const leftMs = (oldest?.at ?? 0) + youngMs - this.#clock.now();
    this.#cancelTimer = this.#clock.setTimer(Math.min(Math.max(0, leftMs), youngMs), () => {
      this.#cancelTimer = undefined;
      this.#forgetOld();
      this.#startWaiting();
    });
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [id, { at }] of this.#young) {
      if (now - at < this.#limit.youngMs && at <= now) break;
      this.#forget(id);
    }
  }
}
