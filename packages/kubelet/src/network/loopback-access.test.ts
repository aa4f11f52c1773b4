import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { admitUsers, openLoopbackAccess, type Users } from './loopback-access.ts';

const line = (uid: number, inode: number) =>
  ` 0: 0100007F:C001 0100007F:1D38 01 00000000:00000000 00:00000000 00000000 ${uid} 0 ${inode} 2 0 20 4 30 10 -1\n`;
const socket = {
  localAddress: '127.0.0.1',
  localPort: 0x1d38,
  remoteAddress: '127.0.0.1',
  remotePort: 0xc001,
} as Socket;

async function judge(users: Users, table: string): Promise<{ readonly isServed: boolean; readonly lines: string[] }> {
  const lines: string[] = [];
  const admit = admitUsers(
    users,
    (each) => lines.push(each),
    async () => [table],
  );
  return { isServed: await admit(socket), lines };
}

describe('admitUsers()', () => {
  it.each([
    ['the engine’s own user', { uid: 1000 }, 1000, true],
    ['root', { uid: 1000 }, 0, true],
    ['the user who ran sudo', { uid: 0, sudoUid: 1000 }, 1000, true],
    ['another user', { uid: 1000 }, 1001, false],
    ['another user than the one who ran sudo', { uid: 0, sudoUid: 1000 }, 1001, false],
    ['a user unknown to the user namespace', { uid: 65_534, unknownUid: 65_534 }, 65_534, false],
  ])('decides about %s', async (_, users, owner, isServed) => {
    expect((await judge(users, line(owner, 7))).isServed).toBe(isServed);
  });

  it('refuses a connection without a known owner', async () => {
    expect((await judge({ uid: 0 }, line(0, 0))).isServed).toBe(false);
    expect((await judge({ uid: 0 }, '')).isServed).toBe(false);
  });

  it('refuses if the tables cannot be read', async () => {
    const admit = admitUsers(
      { uid: 0 },
      () => undefined,
      () => Promise.reject(new Error('EACCES')),
    );
    expect(await admit(socket)).toBe(false);
  });

  it('finds a socket that the first read has missed', async () => {
    const tables = ['', line(1000, 7)];
    const admit = admitUsers(
      { uid: 1000 },
      () => undefined,
      async () => [tables.shift() ?? ''],
    );
    expect(await admit(socket)).toBe(true);
  });

  it('logs who was refused, why, and what to do', async () => {
    expect((await judge({ uid: 1000 }, line(1001, 7))).lines).toEqual([
      'refused a connection from port 49153 to 127.0.0.1:7480: its socket belongs to uid 1001, and only uid 1000, 0 is served. ' +
        'Start with "manta up --loopback-access all" to serve every user of this machine.',
    ]);
  });

  it('logs one refusal in ten seconds, with the number of those in between', async () => {
    let now = 0;
    const lines: string[] = [];
    const admit = admitUsers(
      { uid: 1000 },
      (each) => lines.push(each),
      async () => [line(1001, 7)],
      () => now,
    );
    for (let n = 0; n < 5; n += 1) await admit(socket);
    expect(lines).toHaveLength(1);
    now = 10_000;
    await admit(socket);
    expect(lines[1]).toMatch(/ \(4 more were refused and not logged\)$/);
  });
});

describe('openLoopbackAccess()', () => {
  const blind = async () => [''];

  it('checks nothing for all users', async () => {
    expect(await openLoopbackAccess('all', {}, () => undefined)).toBeUndefined();
  });

  it('serves all users with a warning if the system does not show owners of sockets', async () => {
    const lines: string[] = [];
    expect(await openLoopbackAccess(undefined, {}, (each) => lines.push(each), blind)).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^the owners of loopback connections cannot be determined: .* Every user of this machine/);
  });

  it('fails in the same case if the check was asked for', async () => {
    await expect(openLoopbackAccess('user', {}, () => undefined, blind)).rejects.toThrow(
      /^--loopback-access user is not possible here: .* Use --loopback-access all\.$/,
    );
  });
});
