import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { type Door, Doors } from './doors.ts';

const API: Door = { host: '127.0.0.1', port: 1 };
let doors: Doors;
afterEach(() => doors.close());

async function isOpen({ host, port }: Door): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('doors', () => {
  it('stay the same while their Service is there, and also before it is', async () => {
    doors = new Doors('127.0.0.1', () => Promise.reject(new Error('nobody')), API);
    const door = await doors.of('a.b.svc', 80);
    await doors.servicesAre(new Set(['c.d']));
    await doors.servicesAre(new Set(['a.b', 'c.d']));
    await doors.servicesAre(new Set(['a.b']));
    expect([await doors.of('a.b.svc', 80), await isOpen(door)]).toEqual([door, true]);
    expect(await doors.of('kubernetes.default.svc', 443)).toBe(API);
  });

  it('are closed when their Service has gone, and no others', async () => {
    doors = new Doors('127.0.0.1', () => Promise.reject(new Error('nobody')), API);
    await doors.servicesAre(new Set(['a.b', 'c.d']));
    const gone = await Promise.all([doors.of('a.b.svc', 80), doors.of('a.b.svc.cluster.local', 81)]);
    const kept = await Promise.all([doors.of('c.d.svc', 80), doors.of('10.244.0.2', 80), doors.openPorter()]);
    await doors.servicesAre(new Set(['c.d']));
    expect(await Promise.all([...gone, ...kept].map(isOpen))).toEqual([false, false, true, true, true]);
    await doors.forget((name) => name === '10.244.0.2');
    expect(await Promise.all(kept.map(isOpen))).toEqual([true, false, true]);
  });

  it('that could not be opened are tried again', async () => {
    // An address of documentation: nobody has it.
    doors = new Doors('203.0.113.77', () => Promise.reject(new Error('nobody')), API);
    const first = doors.of('a.b.svc', 80);
    await expect(first).rejects.toThrow('EADDRNOTAVAIL');
    const second = doors.of('a.b.svc', 80);
    expect(second).not.toBe(first);
    await expect(second).rejects.toThrow('EADDRNOTAVAIL');
  });

  it('hold nothing open for those who have left before they were led on', async () => {
    const far = new PassThrough();
    let lead: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      doors = new Doors(
        '127.0.0.1',
        () => {
          resolve();
          return new Promise((done) => {
            lead = () => done(far);
          });
        },
        API,
      );
    });
    const { host, port } = await doors.of('a.b.svc', 80);
    const socket = connect({ host, port });
    await asked;
    socket.resetAndDestroy();
    await once(socket, 'close');
    // One turn through the loop for the other end to hear of it.
    await roundTrip();
    lead();
    await once(far, 'close');
    expect(far.destroyed).toBe(true);
  });
});

/** A connection made after another has ended is heard of after that end. */
async function roundTrip(): Promise<void> {
  const server = createServer((socket: Socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1').resume();
  await once(socket, 'close');
  server.close();
}
