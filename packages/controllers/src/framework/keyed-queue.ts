import type { Clock } from '@manta/kube';
import type { RequeueAfter } from './controller.ts';

const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 60_000;

/**
 * Keys to work on, each at most once, one after the other. A key that is added while it is worked on comes again; one that fails comes
 * again after a growing delay. Work begins from a timer of the clock, never inside `add`, so that a simulation owns the order.
 */
export class KeyedQueue {
  readonly #clock: Clock;
  readonly #work: (key: string) => Promise<RequeueAfter | undefined>;
  readonly #onError: (key: string, error: unknown) => void;
  readonly #firstRetryMs: number;
  readonly #waiting = new Set<string>();
  readonly #timers = new Map<string, { readonly dueAt: number; readonly cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  #isRunning = false;
  #isStopped = false;

  constructor(
    clock: Clock,
    work: (key: string) => Promise<RequeueAfter | undefined>,
    onError: (key: string, error: unknown) => void,
    firstRetryMs = FIRST_RETRY_MS,
  ) {
    this.#firstRetryMs = firstRetryMs;
    this.#clock = clock;
    this.#work = work;
    this.#onError = onError;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    this.#waiting.add(key);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#clock.setTimer(0, () => void this.#drain());
  }

  /** Adds the key when the delay is over; of two delays of the same key the shorter one counts. */
  addAfter(key: string, delayMs: number): void {
    const dueAt = this.#clock.now() + delayMs;
    const earlier = this.#timers.get(key);
    if (this.#isStopped || (earlier !== undefined && earlier.dueAt <= dueAt)) return;
    earlier?.cancel();
    const cancel = this.#clock.setTimer(delayMs, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { dueAt, cancel });
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting.clear();
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  async #drain(): Promise<void> {
    for (const key of this.#waiting) {
      this.#waiting.delete(key);
      await this.#handle(key);
    }
    this.#isRunning = false;
  }

  async #handle(key: string): Promise<void> {
    try {
      const again = await this.#work(key);
      this.#failures.delete(key);
      if (again !== undefined) this.addAfter(key, again.afterMs);
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      this.addAfter(key, Math.min(this.#firstRetryMs * 2 ** failures, LAST_RETRY_MS));
      this.#onError(key, error);
    }
  }
}
