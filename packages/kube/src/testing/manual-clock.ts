import type { Clock } from '../clock.ts';

interface Timer {
  readonly dueAtMs: number;
  readonly run: () => void;
}

/** A clock that a test moves by hand, while sockets go on in real time. */
export class ManualClock implements Clock {
  #nowMs: number;
  readonly #timers = new Set<Timer>();

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, run: () => void): () => void {
    const timer = { dueAtMs: this.#nowMs + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Delays of the pending timers from now on, shortest first. */
  pendingDelaysMs(): readonly number[] {
    return [...this.#timers].map((timer) => timer.dueAtMs - this.#nowMs).toSorted((a, b) => a - b);
  }

  /** Moves on by `ms` and runs what falls due, in order. */
  advance(ms: number): void {
    const until = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers]
        .filter((timer) => timer.dueAtMs <= until)
        .toSorted((a, b) => a.dueAtMs - b.dueAtMs)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#nowMs = due.dueAtMs;
      due.run();
    }
    this.#nowMs = until;
  }
}
