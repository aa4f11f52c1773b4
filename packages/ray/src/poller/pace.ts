/** Over all heads a hundred questions a second are asked about jobs that run: up to 300 of them keep a beat of three seconds. */
const SHARE_MS = 10;

/**
 * Knows how many jobs are asked after, and slows their beats down when there are very many, so that asking leaves time for all else.
 * Heads that do not answer are left out: they have pauses of their own, and must not hold up those that do.
 */
export class Pace {
  readonly #answered = new Set<object>();

  /** A head has answered this question about a job, and will be asked again. */
  join(question: object): void {
    this.#answered.add(question);
  }

  /** It is not asked any more, or not answered. */
  leave(question: object): void {
    this.#answered.delete(question);
  }

  /** The shortest beat that there is room for. */
  get shortestMs(): number {
    return this.#answered.size * SHARE_MS;
  }
}
