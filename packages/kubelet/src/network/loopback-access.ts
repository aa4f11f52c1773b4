import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Ends, ownerIn, readSystemTables, type ReadTables, shareReads } from './socket-owner.ts';

/** Which users of this machine the engine's loopback ports serve: the engine's own user and root, or all. */
export type LoopbackAccess = 'user' | 'all';

/** Decides whether a new connection is served. Never rejects. */
export type Admit = (socket: Socket) => Promise<boolean>;

/** Gets one line for the log. */
type Warn = (line: string) => void;

/** A table is not read at one instant: a socket that is missing in one read may be in the next. */
const READS = 3;
const BETWEEN_READS_MS = 10;
const WARN_EVERY_MS = 10_000;

/** The users whose connections are served. */
export interface Users {
  readonly uid: number;
  readonly sudoUid?: number | undefined;
  /** The uid that the kernel shows for every user unknown to this process's user namespace; it stands for no one user. */
  readonly unknownUid?: number | undefined;
}

/**
 * Serves connections whose client socket belongs to the engine's own user, to root, or to the user who ran `sudo`. All others are refused,
 * also those whose owner cannot be found. A refusal is logged, at most one line in ten seconds.
 */
export function admitUsers(
  users: Users,
  warn: Warn,
  read: ReadTables = readSystemTables,
  now: () => number = () => performance.now(),
): Admit {
  const { uid, sudoUid, unknownUid } = users;
  const served = [...new Set([uid, 0, ...(sudoUid === undefined ? [] : [sudoUid])])].filter((id) => id !== unknownUid);
  const tables = shareReads(read);
  const log = limitLines(warn, now);
  return async (socket) => {
    // Kept: the socket forgets its ends when it closes.
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    const owner = await findOwner({ localAddress, localPort, remoteAddress, remotePort }, tables);
    if (owner !== undefined && served.includes(owner)) return true;
    const whose = owner === undefined ? 'the owner of its socket is unknown' : `its socket belongs to uid ${owner}`;
    log(
      `refused a connection from port ${remotePort} to ${localAddress}:${localPort}: ${whose}, and only uid ${served.join(', ')} is served. ` +
        'Start with "manta up --loopback-access all" to serve every user of this machine.',
    );
    return false;
  };
}

/**
 * Makes the check for `--loopback-access`; undefined serves every connection. Without the option a system that does not tell the owners of
 * sockets gets no check and a warning; with `user` that is an error.
 */
export async function openLoopbackAccess(
  access: LoopbackAccess | undefined,
  env: Readonly<Record<string, string | undefined>>,
  warn: Warn,
  read: ReadTables = readSystemTables,
): Promise<Admit | undefined> {
  if (access === 'all') return undefined;
  const uid = process.getuid?.();
  const users = uid === undefined ? undefined : { uid, ...usersOf(env) };
  const why = users === undefined ? 'this system has no user ids' : await whyUnknown(users, read);
  if (users !== undefined && why === undefined) return admitUsers(users, warn, read);
  const what = `the owners of loopback connections cannot be determined: ${why}.`;
  if (access === 'user')
    throw new Error(`--loopback-access user is not possible here: ${what} Use --loopback-access all.`);
  warn(`${what} Every user of this machine can reach the proxy for Services, node ports and the router.`);
  return undefined;
}

function usersOf(env: Readonly<Record<string, string | undefined>>): Omit<Users, 'uid'> {
  const sudo = env['SUDO_UID'] ?? '';
  return { sudoUid: /^\d{1,10}$/.test(sudo) ? Number(sudo) : undefined, unknownUid: overflowUid() };
}

/** Undefined in a user namespace that knows all users, such as the machine's first. */
function overflowUid(): number | undefined {
  try {
    const [inside, , count] = readFileSync('/proc/self/uid_map', 'latin1').trim().split(/\s+/).map(Number);
    if (inside === 0 && (count ?? 0) >= 2 ** 32 - 1) return undefined;
    return Number(readFileSync('/proc/sys/kernel/overflowuid', 'latin1'));
  } catch {
    return undefined;
  }
}

async function findOwner(ends: Ends, tables: ReadTables): Promise<number | undefined> {
  for (let reads = 1; ; reads += 1) {
    const owner = ownerIn(await tables().catch(() => []), ends);
    if (owner !== undefined || reads === READS) return owner;
    await delay(BETWEEN_READS_MS);
  }
}

/** Tries the check on a connection of this process to itself; gives the reason why it cannot work. */
async function whyUnknown(users: Users, read: ReadTables): Promise<string | undefined> {
  if (process.platform !== 'linux') return `${process.platform} has no /proc/net/tcp`;
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const client = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  try {
    const accepted = await new Promise<Socket>((resolve, reject) => {
      server.once('connection', resolve);
      client.once('error', reject);
    });
    const isAdmitted = await admitUsers(users, () => undefined, read)(accepted);
    accepted.destroy();
    return isAdmitted ? undefined : `/proc/net/tcp does not show uid ${users.uid} as the owner of its own connection`;
  } finally {
    client.destroy();
    server.close();
  }
}

/** Passes one line in each window on, with the number of those left out before it. */
function limitLines(warn: Warn, now: () => number): Warn {
  let last = -Infinity;
  let left = 0;
  return (line) => {
    if (now() - last < WARN_EVERY_MS) {
      left += 1;
      return;
    }
    warn(left === 0 ? line : `${line} (${left} more were refused and not logged)`);
    last = now();
    left = 0;
  };
}
