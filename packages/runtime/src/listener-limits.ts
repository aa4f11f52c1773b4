import { LISTENER_LIMITS, type ListenerTimeouts, timeoutOptions } from '@manta/base';

/** Timeouts of listeners that get only short requests. */
export const SHORT_REQUESTS: ListenerTimeouts = LISTENER_LIMITS;

/** The timeouts, and the limit of a header's size, as options of Node's HTTP servers. */
export function limitOptions(timeouts: ListenerTimeouts) {
  return { ...timeoutOptions(timeouts), maxHeaderSize: LISTENER_LIMITS.headerBytes };
}
