/** The layer below the client: moves requests and answers, knows sessions and retries, knows nothing of objects. */

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query, e.g. `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array>;
  /** When aborted, `send` or the body's iteration rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout until the response's headers (`stream`) or its last byte (`unary`), including backoff and retries; undefined: none. */
  readonly timeoutMs?: number | undefined;
  /**
   * `unary`: a small answer that is read whole, counted by the observer at its end. `stream` (default): an answer that may go on for
   * hours, counted when its headers arrive.
   */
  readonly kind?: 'unary' | 'stream' | undefined;
  /** Whether a 429 or 503 is an answer also if it asks for a retry. */
  readonly retriesItself?: boolean | undefined;
  /** Whether every answer is final, a 401 included: it is handed out unread, and the request is not sent again because of it. */
  readonly takesEveryAnswer?: boolean | undefined;
}

/** An answer's bytes. Read it once, by iterating or by `collect`. */
export interface ResponseBody extends AsyncIterable<Uint8Array> {
  /** The whole body; cheaper than iterating. Absent where a transport does not offer it: use {@link collectBody}. */
  collect?(): Promise<Uint8Array>;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks as they arrive; ending the iteration early cancels the request. */
  readonly body: ResponseBody;
}

export interface Transport {
  /** Rejects with `TransportError`; an HTTP error status is an answer and resolves. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends every request that is under way and closes the connections. */
  close(): Promise<void>;
  /** What a user should know when the server does not accept who we are, e.g. that our certificate has expired. */
  explainUnauthorized?(): string | undefined;
}

/** Reads a whole body, whichever way its transport offers. */
export async function collectBody(body: ResponseBody): Promise<Uint8Array> {
  if (body.collect !== undefined) return await body.collect();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Called for every request; the runtime exports client-go's `rest_client_*` metrics from it. */
export interface RequestObserver {
  requestDone(event: {
    readonly method: string;
    readonly host: string;
    /** HTTP status, or `<error>` when no answer came. */
    readonly code: string;
    readonly durationMs: number;
    readonly requestBytes: number;
    readonly responseBytes: number;
  }): void;
  requestRetried(event: { readonly method: string; readonly host: string; readonly code: string }): void;
  rateLimited(event: { readonly method: string; readonly host: string; readonly delayMs: number }): void;
  /** A name was looked up for a new connection; `host` is that name. Addresses, and names that a proxy resolves, are not. */
  hostResolved(event: { readonly host: string; readonly durationMs: number }): void;
}
