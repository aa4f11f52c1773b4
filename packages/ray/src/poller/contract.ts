import type { RayCallError } from '../call-error.ts';
import type { RayClock } from '../clock.ts';
import type { Command, CommandResult } from '../command.ts';
import type { RayHead } from '../head.ts';
import type { AnswerOf, Question } from '../question.ts';
import type { RaySend } from '../transport.ts';

/** The last that was heard. Times are those at which the request was sent: an answer is never older than its `at`. */
export type Answer<T> =
  /** Not answered yet, or not since the moment that counts; `last` is what was heard before that moment. */
  | { readonly kind: 'unknown'; readonly last?: Heard<T> }
  | { readonly kind: 'known'; readonly value: T; readonly at: number }
  | {
      readonly kind: 'failing';
      readonly error: RayCallError;
      readonly at: number;
      /** When the first call of this row of failures was sent. */
      readonly since: number;
      /** The last good answer of this session, if there was one. */
      readonly last?: Heard<T>;
    };

/** A good answer, and when its request was sent. */
export interface Heard<T> {
  readonly value: T;
  readonly at: number;
}

/** Who wants to know, and how often. */
export interface Interest {
  /** The owner that is notified, e.g. `rayjob/ns/name`. */
  readonly owner: string;
  /**
   * The beat while all is well; a failing head is asked less and less often. The shortest beat of all owners
   * counts; where heads would answer more than a hundred questions a second about jobs, those beats are longer. A question with large
   * answers is asked less often (`RAY_LIMITS`), also where it would be asked at once.
   */
  readonly everyMs: number;
  /** Only what was sent after this moment counts: until then the answer is `unknown`, and the question is asked at once. */
  readonly newerThan?: number | undefined;
  /** How long the interest lasts without renewal; default 10 minutes. The owner is notified when it expires, so that it can renew it. */
  readonly forMs?: number | undefined;
}

/** Keeps the last answers of all heads, so that a reconcile reads and never waits. */
export interface RayPoller {
  /**
   * The last answer, at once. Renews the owner's interest: the question is asked now if it never was, and then on each beat until the
   * interest lapses or is let go. The owner is told (`onNews`) when the answer changes: another value, failing, or well again.
   */
  ask<Q extends Question>(head: RayHead, question: Q, interest: Interest): Answer<AnswerOf<Q>>;
  /**
   * Starts a command in the background, once per owner and id: a second call with the same id does nothing until it is settled. The
   * owner is told when it ends. From then on, what was heard before about that job (or about Serve) is `unknown` with a `last`, and is
   * asked at once.
   */
  perform(head: RayHead, command: Command, by: { readonly owner: string; readonly id: string }): void;
  /** The owner's commands that are not settled, oldest first. */
  results(owner: string): readonly CommandResult[];
  /** Drops a command's result. A running command continues, but its result is not reported. */
  settle(owner: string, id: string): void;
  /** Ends the owner's interests, or those in one question. Answers are kept for another minute, in case they are asked for again. */
  release(owner: string, question?: Question): void;
  /** Forgets the owner: its interests and its commands' results. */
  forget(owner: string): void;
  /**
   * Sends no command from now on: commands that wait for their turn, and new ones, wait until {@link resumeCommands}. Commands that were sent
   * go on, and so do questions. For a process that is not sure to lead any more.
   */
  suspendCommands(): void;
  resumeCommands(): void;
  /** Gives up everything under way; no more news. */
  close(): void;
}

/** What became of one answer, and what it cost. */
export interface AnswerNote {
  readonly question: Question['kind'];
  /** `unchanged`: equal to the last one, and not parsed. `refused`: too big. */
  readonly outcome: 'parsed' | 'unchanged' | 'refused' | 'failed';
  readonly bytesRead: number;
  readonly bytesParsed: number;
}

/** What `createRayPoller` needs of the world, and its bounds. */
export interface RayPollerOptions {
  readonly clock: RayClock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly send: RaySend;
  /** Something changed for this owner: put its key on the queue. Never called from within `ask` or `perform`. */
  readonly onNews: (owner: string) => void;
  /** Called for every response, for metrics. */
  readonly onAnswer?: ((note: AnswerNote) => void) | undefined;
  /** How long a question may take, 5 seconds when not given. */
  readonly questionTimeoutMs?: number | undefined;
  /** How long a command may take, 30 seconds when not given. */
  readonly commandTimeoutMs?: number | undefined;
  /** The most requests under way at once over all heads, 256 when not given. */
  readonly maxInFlight?: number | undefined;
  /**
   * The longest pause between two tries of a failing head, give or take a quarter; 4 seconds when not given. One that hangs gets twice that;
   * where more than a hundred tries a second would come of it, all get longer ones.
   */
  readonly maxPauseMs?: number | undefined;
}
