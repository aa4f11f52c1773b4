import type { Clock } from '../clock.ts';

/** Ends one call early: by its deadline or by the caller's signal, whatever the call is waiting for at that moment. */
export class CallGuard {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #deadlineMs: number;
  #cancelTimer: (() => void) | undefined;
  #stop: ((reason: unknown) => void) | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  constructor(clock: Clock, signal: AbortSignal | undefined, timeoutMs: number | undefined, timeout: () => Error) {
    this.#clock = clock;
    this.#signal = signal;
    this.#deadlineMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + timeoutMs;
    if (signal?.aborted) {
      this.#stopped = { reason: signal.reason };
      return;
    }
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (timeoutMs !== undefined) this.#cancelTimer = clock.setTimer(timeoutMs, () => this.#end(timeout()));
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Whether a wait of that length ends before the deadline. */
  allows(delayMs: number): boolean {
    return this.#clock.now() + delayMs < this.#deadlineMs;
  }

  /** From now on `stop` is what ends the call early; it is called at once when the call has ended already. */
  whenStopped(stop: (reason: unknown) => void): void {
    if (this.#stopped !== undefined) stop(this.#stopped.reason);
    else this.#stop = stop;
  }

  /** The deadline no longer counts (the answer began); the signal still does. */
  liftDeadline(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** The call is over; nothing of it is left behind. */
  release(): void {
    this.liftDeadline();
    this.#stop = undefined;
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.setTimer(delayMs, resolve);
      this.whenStopped((reason) => {
        cancel();
        reject(reason);
      });
    });
  }

  /** The promise's outcome, unless the call has to end before. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.whenStopped(reject);
      promise.then(resolve, reject);
    });
  }

  readonly #onAbort = (): void => this.#end(this.#signal?.reason);

  #end(reason: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason };
    const stop = this.#stop;
    this.release();
    stop?.(reason);
  }
}
