import { LISTENER_LIMITS } from '@manta/base';

/** How long a listener waits for clients that are slow, on purpose or not. */
export interface ListenerLimits {
  /** Until the head of a request is there, counted from the connection or, on one that is kept, from the head's first byte. */
  readonly headersMs: number;
  /** Until the whole request is there; 0 is as long as it takes. */
  readonly requestMs: number;
  /** How long a connection is kept on which nothing is asked. */
  readonly idleMs: number;
  /** How often clients are looked for that have had their time. */
  readonly checkMs: number;
}

/** Of listeners that get nothing but short requests. */
export const SHORT_REQUESTS: ListenerLimits = LISTENER_LIMITS;

/** The limits as options of Node's HTTP servers. */
export function limitOptions({ headersMs, requestMs, idleMs, checkMs }: ListenerLimits) {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    maxHeaderSize: LISTENER_LIMITS.headerBytes,
  } as const;
}
