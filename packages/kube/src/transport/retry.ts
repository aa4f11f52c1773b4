import { API_CLIENT_LIMITS } from '@manta/base';
import { type FailedCall, TransportError } from '../api-error.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';
import { AttemptError } from './attempt-error.ts';
import { isReplayable } from './request-body.ts';

/** How often one call may be sent again, by cause. */
const MAX_RETRIES = { neverSent: 5, lostAnswer: 2, askedToWait: API_CLIENT_LIMITS.retriesAsked } as const;
const FIRST_BACKOFF_MS = 50;
/** A server that asks for more than this is not worth waiting for inside one call. */
const MAX_RETRY_AFTER_MS = API_CLIENT_LIMITS.retryAfterMs;

/** Counts what happened to one call so far, and decides whether it is sent again. */
export class RetryState {
  readonly #request: TransportRequest;
  readonly #canRepeat: boolean;
  #neverSent = 0;
  #lostAnswers = 0;
  #askedToWait = 0;
  #wasUnauthorized = false;

  constructor(request: TransportRequest) {
    this.#request = request;
    this.#canRepeat = isReplayable(request.body);
  }

  /** Milliseconds to wait before the next attempt after this failure; undefined: there is none. */
  delayAfterFailure(error: unknown): number | undefined {
    if (!(error instanceof AttemptError) || !this.#canRepeat) return undefined;
    if (error.retry === 'now') return this.#neverSent++ < MAX_RETRIES.neverSent ? 0 : undefined;
    if (error.retry === 'never' || this.#request.method !== 'GET') return undefined;
    if (this.#lostAnswers >= MAX_RETRIES.lostAnswer) return undefined;
    return FIRST_BACKOFF_MS * 2 ** this.#lostAnswers++;
  }

  /** Milliseconds that the server asks to wait before the same request is sent again; undefined: the answer is final. */
  delayAfterAnswer(response: TransportResponse, now: number): number | undefined {
    if (response.status !== 429 && response.status !== 503) return undefined;
    if (this.#request.retriesItself === true || this.#request.takesEveryAnswer === true) return undefined;
    const delayMs = retryAfterMs(response.headers, now);
    if (delayMs === undefined || delayMs > MAX_RETRY_AFTER_MS || !this.#canRepeat) return undefined;
    return this.#askedToWait++ < MAX_RETRIES.askedToWait ? delayMs : undefined;
  }

  /** True the first time the server says 401: fresh credentials may be all it takes. */
  shouldAuthenticateAgain(response: TransportResponse): boolean {
    if (response.status !== 401 || this.#wasUnauthorized || !this.#canRepeat) return false;
    if (this.#request.takesEveryAnswer === true) return false;
    this.#wasUnauthorized = true;
    return true;
  }
}

/** `Retry-After` in milliseconds: seconds or a date. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined || text === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The error of a call whose time is over. */
export function timeoutError(call: FailedCall, host: string, timeoutMs: number | undefined): TransportError {
  const seconds = (timeoutMs ?? 0) / 1000;
  return new TransportError(`${host} did not answer ${call.method} ${call.path} within ${seconds} s`, { call });
}
