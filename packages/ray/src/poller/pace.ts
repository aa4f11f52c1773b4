/** A hundred a second: up to 300 jobs that run keep a beat of three seconds, up to 400 heads that fail are tried every four. */
const SHARE_MS = 10;
/** However many heads fail, one that is well again is found before those who wait for it give up. */
const LONGEST_SHARED_PAUSE_MS = 30_000;

/**
 * Knows how many jobs are asked after, and slows their beats down when there are very many, so that asking leaves time for all else.
 * What fails has pauses of its own, a hundred tries a second over all of it, up to 3,000 heads: it must not hold up what is answered.
 */
export class Pace {
  readonly #answered = new Set<object>();
  readonly #failing = new Set<object>();

  /** A head has answered this question about a job, and will be asked again. */
  join(question: object): void {
    this.#failing.delete(question);
    this.#answered.add(question);
  }

  /** This question, or this head on behalf of all of its questions, has failed and will be tried again. */
  fail(tried: object): void {
    this.#answered.delete(tried);
    this.#failing.add(tried);
  }

  /** It is not asked any more, or tried by somebody else. */
  leave(question: object): void {
    this.#answered.delete(question);
    this.#failing.delete(question);
  }

  /** The shortest beat that there is room for. */
  get shortestMs(): number {
    return this.#answered.size * SHARE_MS;
  }

  /** The same for the pause between two tries of what fails, up to a bound. */
  get shortestPauseMs(): number {
    return Math.min(this.#failing.size * SHARE_MS, LONGEST_SHARED_PAUSE_MS);
  }
}
