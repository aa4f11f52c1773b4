/**
 * Why a call came to nothing.
 * `unreachable`: no answer. `timeout`: not answered in time. `status`: an answer that says no. `unreadable`: an answer that is not what
 * Ray's API promises (HTML, no JSON, a wrong shape). `too-big`: an answer beyond the bound. `refused`: answered well, but Ray did not do it.
 */
export type RayCallFailure = 'unreachable' | 'timeout' | 'status' | 'unreadable' | 'too-big' | 'refused';

/** What is known about a call that failed. */
export interface RayCallErrorDetails {
  readonly failure: RayCallFailure;
  readonly method: string;
  readonly url: string;
  /** The HTTP status, when an answer came. */
  readonly status?: number | undefined;
  /** The beginning of the answer's body, when one came. */
  readonly body?: string | undefined;
  /** True if the head cannot have acted on the request: it was not reached, or it refused. */
  readonly didNothing: boolean;
  readonly cause?: unknown;
}

/** A call to a Ray head that failed; its message can be shown to users as it is. */
export class RayCallError extends Error implements RayCallErrorDetails {
  override readonly name = 'RayCallError';
  readonly failure: RayCallFailure;
  readonly method: string;
  readonly url: string;
  readonly status: number | undefined;
  readonly body: string | undefined;
  readonly didNothing: boolean;

  constructor(message: string, details: RayCallErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.failure = details.failure;
    this.method = details.method;
    this.url = details.url;
    this.status = details.status;
    this.body = details.body;
    this.didNothing = details.didNothing;
  }
}
