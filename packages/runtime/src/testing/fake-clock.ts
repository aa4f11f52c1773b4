import type { Clock } from '@manta/kube';

interface Timer {
  readonly dueAt: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that tests advance: timers run in order of their due time, and promises settle in between. */
export class FakeClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  setTimer(delayMs: number, run: () => void): () => void {
    this.#order += 1;
    const timer = { dueAt: this.#now + Math.max(0, delayMs), order: this.#order, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets everything that waits for no timer finish. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Moves time on by `durationMs`, running what falls due on the way. */
  async advance(durationMs: number): Promise<void> {
    const until = this.#now + durationMs;
    await this.settle();
    for (let timer = this.#next(); timer !== undefined && timer.dueAt <= until; timer = this.#next()) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.dueAt);
      timer.run();
      await this.settle();
    }
    this.#now = until;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (
        first === undefined ||
        timer.dueAt < first.dueAt ||
        (timer.dueAt === first.dueAt && timer.order < first.order)
      ) {
        first = timer;
      }
    }
    return first;
  }
}
