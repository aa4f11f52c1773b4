/** One request to a Ray head. */
export interface RayRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The head's address with path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Sent instead of `body`, as they are; only the plain HTTP transport carries them. */
  readonly bytes?: Uint8Array | undefined;
  /** When aborted, `send` or the reading of the body rejects, and the request is given up. */
  readonly signal: AbortSignal;
}

/** A head's answer, as far as its headers have arrived. */
export interface RayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Read once; ending the reading early gives the rest up. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** How requests travel. Rejects when no answer came; an HTTP error status is an answer. */
export type RaySend = (request: RayRequest) => Promise<RayResponse>;
