import { describe, expect, it } from 'vitest';
import { ownerIn, shareReads } from './socket-owner.ts';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
/** A line of the table of a little-endian machine. */
const line = (local: string, remote: string, uid: number, inode: number) =>
  `  12: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 2 0000000000000000 20 4 30 10 -1\n`;

const CLIENT = '0100007F:C001';
const SERVER = '0100007F:1D38';
const ENDS = { localAddress: '127.0.0.1', localPort: 0x1d38, remoteAddress: '127.0.0.1', remotePort: 0xc001 };

describe('ownerIn()', () => {
  it('gives the uid of the client socket, not of the server’s own', () => {
    expect(ownerIn([HEAD + line(SERVER, CLIENT, 0, 7) + line(CLIENT, SERVER, 1001, 8)], ENDS)).toBe(1001);
  });

  it('gives nothing for a socket without a process, which the kernel shows as root’s', () => {
    expect(ownerIn([HEAD + line(CLIENT, SERVER, 0, 0)], ENDS)).toBeUndefined();
  });

  it('finds the open socket beside a former one with the same ends', () => {
    expect(ownerIn([HEAD + line(CLIENT, SERVER, 0, 0) + line(CLIENT, SERVER, 1001, 8)], ENDS)).toBe(1001);
  });

  it('gives nothing if two owners are shown', () => {
    expect(ownerIn([HEAD + line(CLIENT, SERVER, 0, 9) + line(CLIENT, SERVER, 1001, 8)], ENDS)).toBeUndefined();
  });

  it('gives nothing for other ports, addresses and a socket that is closed already', () => {
    const tables = [HEAD + line('0100007F:C002', SERVER, 1, 7) + line(CLIENT, '0200007F:1D38', 1, 8)];
    expect(ownerIn(tables, ENDS)).toBeUndefined();
    expect(ownerIn(tables, {})).toBeUndefined();
  });

  it('finds an IPv6 socket that is connected to an IPv4 address', () => {
    const mapped = (end: string) => `0000000000000000FFFF0000${end}`;
    expect(ownerIn([HEAD, HEAD + line(mapped(CLIENT), mapped(SERVER), 1002, 8)], ENDS)).toBe(1002);
  });

  it('finds IPv6 addresses', () => {
    const one = '00000000000000000000000001000000';
    const far = 'B80D01200000000000000000CDAB0000';
    const tables = [HEAD, HEAD + line(`${far}:C001`, `${one}:1D38`, 1003, 8)];
    expect(ownerIn(tables, { ...ENDS, localAddress: '::1', remoteAddress: '2001:db8::abcd' })).toBe(1003);
  });
});

describe('shareReads()', () => {
  it('begins a read after each call, and has at most one under way', async () => {
    const ends: ((tables: readonly string[]) => void)[] = [];
    const read = shareReads(() => new Promise((resolve) => ends.push(resolve)));
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    const first = read();
    await settle();
    const [second, third] = [read(), read()];
    await settle();
    expect(ends).toHaveLength(1);
    ends[0]?.(['a']);
    expect(await first).toEqual(['a']);
    await settle();
    expect(ends).toHaveLength(2);
    ends[1]?.(['b']);
    expect(await Promise.all([second, third])).toEqual([['b'], ['b']]);
  });

  it('reads again after a read that failed', async () => {
    let count = 0;
    const read = shareReads(() => (count++ === 0 ? Promise.reject(new Error('no')) : Promise.resolve([])));
    await expect(read()).rejects.toThrow('no');
    expect(await read()).toEqual([]);
  });
});
