import type { Clock } from '@manta/kube';
import { LONGEST_TIMER_MS } from './pause.ts';

/** A moment that can only come nearer. */
export class Deadline {
  /** Resolves when it has come. */
  readonly passed: Promise<void>;
  readonly #clock: Clock;
  #pass: () => void = () => undefined;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.passed = new Promise((resolve) => {
      this.#pass = resolve;
    });
  }

  get hasPassed(): boolean {
    return this.#clock.now() >= this.#atMs;
  }

  /** No later than so long from now. */
  within(ms: number): void {
    const atMs = this.#clock.now() + ms;
    if (atMs >= this.#atMs) return;
    this.#atMs = atMs;
    this.#cancel();
    if (ms <= 0) this.#pass();
    else this.#cancel = this.#clock.setTimer(Math.min(ms, LONGEST_TIMER_MS), this.#pass);
  }

  /** Cancels it. */
  forget(): void {
    this.#cancel();
  }
}
