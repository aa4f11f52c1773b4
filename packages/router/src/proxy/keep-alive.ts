/** TCP keep-alive: after this long without data the system probes the other end, to detect half-open connections. */
export const KEEP_ALIVE_MS = 10_000;
