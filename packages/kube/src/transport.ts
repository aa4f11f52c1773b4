/** The layer below the client: moves requests and answers, knows sessions and retries, knows nothing of objects. */

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query, e.g. `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
  /** Until the answer's headers; undefined waits for ever. */
  readonly timeoutMs?: number | undefined;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks as they arrive; ending the iteration early cancels the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Transport {
  /** Rejects with `TransportError`; an HTTP error status is an answer and resolves. */
  send(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}

/** Told about every request; the runtime turns it into client-go's `rest_client_*` metrics. */
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
}
