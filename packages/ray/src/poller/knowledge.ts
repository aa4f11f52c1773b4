import { isDeepStrictEqual } from 'node:util';
import type { RayCallError } from '../call-error.ts';
import type { Answer, Heard } from './contract.ts';

/** What is known about one question. A failure, where there is one, is newer than what was heard. */
export interface Knowledge {
  readonly heard?: Heard<unknown>;
  readonly failure?: { readonly error: RayCallError; readonly at: number; readonly since: number };
}

/** When the last call was sent that came back. */
export function knownAt({ heard, failure }: Knowledge): number {
  return failure?.at ?? heard?.at ?? Number.NEGATIVE_INFINITY;
}

/** The knowledge as an answer that only counts what was sent after `moment`. */
export function answerSince(knowledge: Knowledge, moment: number): Answer<unknown> {
  const { heard, failure } = knowledge;
  const last = heard === undefined ? {} : { last: heard };
  if (knownAt(knowledge) <= moment) return { kind: 'unknown', ...last };
  if (failure !== undefined) return { kind: 'failing', ...failure, ...last };
  return heard === undefined ? { kind: 'unknown' } : { kind: 'known', ...heard };
}

/** What is known after a good answer. */
export function hear(value: unknown, at: number): Knowledge {
  return { heard: { value, at } };
}

/** What is known after one more failure; the first of a row sets `since`. */
export function fail({ heard, failure }: Knowledge, error: RayCallError, at: number, since = at): Knowledge {
  return { ...(heard !== undefined && { heard }), failure: { error, at, since: failure?.since ?? since } };
}

/** Whether owners must be notified of the difference between two answers. */
export function isNews(before: Knowledge, after: Knowledge): boolean {
  const [was, is] = [before.failure, after.failure];
  if (was !== undefined || is !== undefined) {
    return was?.error.failure !== is?.error.failure || was?.error.status !== is?.error.status;
  }
  return !isDeepStrictEqual(before.heard?.value, after.heard?.value) || before.heard === undefined;
}
