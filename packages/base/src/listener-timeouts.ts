/** How long a listener waits for clients that are slow, on purpose or not. */
export interface ListenerTimeouts {
  /** Header timeout, counted from the connection or, on one that is kept alive, from the first byte of the header. */
  readonly headersMs: number;
  /** Timeout of the whole request; 0: none. Responses, such as those of watches, have no limit. */
  readonly requestMs: number;
  /** How long an idle connection is kept open. */
  readonly idleMs: number;
  /** How often these timeouts are checked. */
  readonly checkMs: number;
}

/** The timeouts as options of Node's HTTP/1.1 servers. */
export function timeoutOptions({ headersMs, requestMs, idleMs, checkMs }: ListenerTimeouts) {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
  };
}
