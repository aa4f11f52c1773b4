import type { CallFilter } from './call.ts';

/** A number of milliseconds, or a range from which one is drawn. */
export type Duration = number | { readonly min: number; readonly max: number };

/** What can go wrong with a request. */
export type Fault =
  /** `requestMs` before it is carried out, `answerMs` before its answer is there, `eventMs` before each event of a watch. */
  | { readonly kind: 'delay'; readonly requestMs?: Duration; readonly answerMs?: Duration; readonly eventMs?: Duration }
  /**
   * No answer. `unsent`: the connection was refused, so that nothing was carried out and the client knows it. `request`: it got lost
   * on the way there. `answer`: it was carried out and the answer got lost. Unless `isSilent`, the client sees a reset connection;
   * with it, nothing happens until its own patience ends.
   */
  | { readonly kind: 'lose'; readonly what: 'unsent' | 'request' | 'answer'; readonly isSilent?: boolean }
  /** The server says no and does nothing: 409, 410, 429 (with Retry-After), 500, 503 … */
  | { readonly kind: 'refuse'; readonly code: number; readonly retryAfterSeconds?: number; readonly message?: string }
  /** Reads are answered by the second replica, which may be behind. */
  | { readonly kind: 'stale' };

/** A fault and when it happens. */
export interface FaultRule {
  /** Absent: every request. */
  readonly when?: CallFilter;
  /** The probability, from 0 to 1; default 1. */
  readonly chance?: number;
  /** The maximum number of times; default unlimited. */
  readonly times?: number;
  readonly fault: Fault;
}

/** An answer that a fault makes up. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** What shall happen to one request: all its faults put together. */
export interface Verdict {
  readonly requestDelayMs: number;
  readonly answerDelayMs: number;
  readonly loss?: { readonly what: 'unsent' | 'request' | 'answer'; readonly isSilent: boolean };
  readonly refusal?: Refusal;
  /** Let the replica answer. */
  readonly isStale: boolean;
}

const REASONS: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  403: ['Forbidden', 'forbidden by an injected fault'],
  404: ['NotFound', 'the server could not find the requested resource'],
  409: [
    'Conflict',
    'Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again',
  ],
  410: ['Expired', 'The resourceVersion for the provided watch is too old.'],
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'Internal error occurred: injected fault'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted duration'],
};

/** The answer of a `refuse` fault, worded as the real server words it. */
export function refusalOf({ code, retryAfterSeconds, message }: Extract<Fault, { kind: 'refuse' }>): Refusal {
  const [reason, usual] = REASONS[code] ?? ['Unknown', `injected fault ${code}`];
  const refusal = { code, reason, message: message ?? usual };
  return retryAfterSeconds === undefined ? refusal : { ...refusal, retryAfterSeconds };
}
