import { RAY_LIMITS } from '@manta/base';
import type { AnswerCost } from '../answer-ledger.ts';

const { failingPerSecond, mostFailingPerSecond, jobsPerSecond } = RAY_LIMITS;
/** However many heads fail, up to 12,000 of them: one that is well again is found before those who wait for it give up. */
const LONGEST_SHARED_PAUSE_MS = 30_000;

/**
 * Shares the time that questions take over all heads.
 * - Running jobs share a hundred questions a second: up to 300 of them keep a beat of three seconds.
 * - What fails shares as many tries, up to 3,000 heads; beyond that the tries grow to four hundred a second, so that each head is tried every
 *   30 s, and no further. Failing heads do not slow down those that answer.
 * - Questions with expensive answers share a number of bytes a second, each the same part of it; those with cheap answers never wait for them.
 */
export class Pace {
  readonly #answered = new Set<object>();
  readonly #failing = new Set<object>();
  readonly #expensive = new Map<object, number>();

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

  /** The head is no longer asked, or another owner tries it. */
  leave(question: object): void {
    this.#answered.delete(question);
    this.#failing.delete(question);
  }

  /** The last answer to this question cost so much; no cost takes it out of the account. */
  spend(question: object, { bytesRead, bytesParsed }: AnswerCost): void {
    const cost = Math.max(bytesParsed, bytesRead * RAY_LIMITS.unchangedShare);
    if (cost > RAY_LIMITS.cheapBytes) this.#expensive.set(question, cost);
    else this.#expensive.delete(question);
  }

  /** How long this question rests after an answer as expensive as its last one; 0 for a cheap one. */
  restMs(question: object): number {
    const cost = this.#expensive.get(question);
    if (cost === undefined) return 0;
    const bytesPerSecond = Math.min(RAY_LIMITS.headBytesPerSecond, RAY_LIMITS.allBytesPerSecond / this.#expensive.size);
    return (cost / bytesPerSecond) * 1000;
  }

  /** The shortest beat that there is room for. */
  get shortestMs(): number {
    return (this.#answered.size * 1000) / jobsPerSecond;
  }

  /** The same for the pause between two tries of what fails. */
  get shortestPauseMs(): number {
    const sharedMs = (this.#failing.size * 1000) / failingPerSecond;
    return Math.max(Math.min(sharedMs, LONGEST_SHARED_PAUSE_MS), (this.#failing.size * 1000) / mostFailingPerSecond);
  }
}
