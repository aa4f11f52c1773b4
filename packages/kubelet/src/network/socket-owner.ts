import { endianness } from 'node:os';

/** The two ends of an accepted TCP connection, as `net.Socket` names them. */
export interface Ends {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** Text of the kernel's socket tables: `/proc/net/tcp` and `/proc/net/tcp6`. */
export type ReadTables = () => Promise<readonly string[]>;

const MAPPED = '::ffff:';
/** Fields of a line after the two addresses: state, queues, timer, retransmits, uid, timeout, inode. */
const UID_FIELD = 4;
const INODE_FIELD = 6;

/**
 * The uid that owns the client's socket of a connection within this machine; undefined if no process has that socket open, or if the
 * tables name two owners. An inode of 0 is a socket without a process (closed, or in TIME_WAIT), for which the kernel shows uid 0.
 */
export function ownerIn(tables: readonly string[], ends: Ends): number | undefined {
  const { localAddress, localPort, remoteAddress, remotePort } = ends;
  if (localAddress === undefined || localPort === undefined || remoteAddress === undefined || remotePort === undefined)
    return undefined;
  const owners = new Set<number>();
  // A client may have connected to an IPv4 address with an IPv6 socket.
  for (const write of [shortForm, longForm]) {
    const [from, to] = [write(remoteAddress), write(localAddress)];
    if (from === undefined || to === undefined) continue;
    const pattern = ` ${from}:${portForm(remotePort)} ${to}:${portForm(localPort)} `;
    for (const table of tables)
      for (let at = table.indexOf(pattern); at >= 0; at = table.indexOf(pattern, at + 1)) {
        const end = table.indexOf('\n', at);
        const fields = table.slice(at + pattern.length, end < 0 ? undefined : end).split(/ +/);
        const uid = Number(fields[UID_FIELD]);
        if (Number(fields[INODE_FIELD]) > 0 && Number.isInteger(uid)) owners.add(uid);
      }
  }
  return owners.size === 1 ? owners.values().next().value : undefined;
}

/**
 * Reads the tables for several callers at once. A read that has already begun may have passed the place of a newer socket, so that each
 * caller gets a read that begins after its call; there is at most one at a time, however many connections arrive.
 */
export function shareReads(read: ReadTables): ReadTables {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly string[]> | undefined;
  return () => {
    if (next !== undefined) return next;
    const begin = () => {
      next = undefined;
      return read();
    };
    next = running.then(begin, begin);
    running = next;
    return next;
  };
}

/** Reads the tables of the network namespace of this process. A machine without IPv6 has only the first. */
export const readSystemTables: ReadTables = async () => {
  const { readFile } = process.getBuiltinModule('node:fs').promises;
  return await Promise.all([readFile('/proc/net/tcp', 'latin1'), readFile('/proc/net/tcp6', 'latin1').catch(() => '')]);
};

function portForm(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/** An IPv4 address as /proc/net/tcp writes it; undefined for others. */
function shortForm(address: string): string | undefined {
  const bytes = (address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address).split('.').map(Number);
  return bytes.length === 4 ? wordForm(bytes) : undefined;
}

/** An address as /proc/net/tcp6 writes it: four words, IPv4 addresses as mapped ones. */
function longForm(address: string): string | undefined {
  const short = shortForm(address);
  if (short !== undefined) return `${'0'.repeat(16)}${wordForm([0, 0, 0xff, 0xff])}${short}`;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const [before, after] = [groups(head), groups(tail ?? '')];
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...after].map((group) => parseInt(group, 16));
  const bytes = all.flatMap((group) => [group >> 8, group & 0xff]);
  return [0, 4, 8, 12].map((at) => wordForm(bytes.slice(at, at + 4))).join('');
}

/** The kernel prints four bytes of an address as one number in the machine's own byte order. */
function wordForm(bytes: readonly number[]): string {
  const ordered = endianness() === 'LE' ? bytes.toReversed() : bytes;
  return ordered.map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('');
}
