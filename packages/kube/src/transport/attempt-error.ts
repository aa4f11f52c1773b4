import { type FailedCall, TransportError } from '../api-error.ts';

/**
 * How one attempt ended, for the code that decides about another:
 * `now` - the server certainly never saw the request, a new session will take it;
 * `if-idempotent` - the answer is lost, what was done is not known;
 * `never` - trying again would end the same way (nothing listens, certificate refused, timeout).
 */
export type RetryAdvice = 'now' | 'if-idempotent' | 'never';

/** A `TransportError` that says whether another attempt makes sense. */
export class AttemptError extends TransportError {
  readonly retry: RetryAdvice;

  constructor(
    message: string,
    retry: RetryAdvice,
    options: { cause?: unknown; call?: FailedCall; wasNeverSent?: boolean },
  ) {
    super(message, { ...options, wasNeverSent: options.wasNeverSent ?? retry === 'now' });
    this.retry = retry;
  }
}
