import type { Socket } from 'node:net';
import { constants } from 'node:os';

/**
 * Whether the operating system already knows that the other end is gone. Node (24) does not always tell: when a connection is reset
 * while TLS has a write under way, that write never ends, and as HTTP/2 stops reading while it writes, neither an error nor a close is
 * ever reported. Asking for the peer's address fails then. Where a socket does not offer that, a ping's deadline still finds out.
 */
export function hasLostPeer(tcp: Socket): boolean {
  const handle: unknown = Reflect.get(tcp, '_handle');
  if (typeof handle !== 'object' || handle === null || !('getpeername' in handle)) return false;
  return typeof handle.getpeername === 'function' && handle.getpeername({}) === ENOTCONN;
}

const ENOTCONN = -constants.errno.ENOTCONN;
