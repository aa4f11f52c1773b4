import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Failure, failureCounts, onFailure } from './failures.ts';
import { attempt, guard, guardConnection } from './guard.ts';

let failures: Failure[];
let stopListening: () => void;
beforeEach(() => {
  failures = [];
  stopListening = onFailure((failure) => failures.push(failure));
});
afterEach(() => stopListening());

/** A connection that only knows whether it was ended. */
const connection = () => {
  const made = { isEnded: false, destroy: () => (made.isEnded = true) };
  return made;
};
const boom = new Error('boom');
const thrower = () => {
  throw boom;
};

describe('guard()', () => {
  it('passes arguments on and leaves the subject alone when nothing fails', () => {
    const subject = connection();
    const seen: unknown[] = [];
    guard('place', subject, (...args: number[]) => seen.push(...args))(1, 2);
    expect(seen).toEqual([1, 2]);
    expect(subject.isEnded).toBe(false);
    expect(failures).toEqual([]);
  });

  it('ends the subject, reports and counts when the callback throws', () => {
    const subject = connection();
    const before = failureCounts().get('throws') ?? 0;
    expect(guard('throws', subject, thrower)).not.toThrow();
    expect(subject.isEnded).toBe(true);
    expect(failures).toEqual([{ place: 'throws', error: boom, unreported: 0 }]);
    expect(failureCounts().get('throws')).toBe(before + 1);
  });

  it('does the same when the promise of the callback rejects', async () => {
    const subject = connection();
    guard('rejects', subject, () => Promise.reject(boom))();
    await new Promise((resolve) => setImmediate(resolve));
    expect(subject.isEnded).toBe(true);
    expect(failures).toMatchObject([{ place: 'rejects', error: boom }]);
  });

  it('survives a subject that cannot be ended, and a listener that fails', () => {
    const stop = onFailure(thrower);
    expect(() => attempt('stubborn', thrower, thrower)).not.toThrow();
    stop();
  });

  it('reports ten failures of a place a minute and counts the others', () => {
    for (let n = 0; n < 25; n += 1) attempt('flood', undefined, thrower);
    expect(failures).toHaveLength(10);
    expect(failureCounts().get('flood')).toBe(25);
  });
});

describe('guardConnection()', () => {
  it('ends every argument that can be ended', () => {
    const [request, socket] = [connection(), connection()];
    guardConnection('server', (..._args: unknown[]) => thrower())(request, socket, Buffer.of(1));
    expect([request.isEnded, socket.isEnded]).toEqual([true, true]);
  });

  it('ends the one connection of a server whose handler throws, and serves the next', async () => {
    const server = createServer(
      guardConnection('server', (request: IncomingMessage, response: ServerResponse) => {
        if (request.url === '/bad') throw boom;
        response.end('fine');
      }),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const bad = connect({ port, host: '127.0.0.1' });
    bad.on('error', () => undefined).end('GET /bad HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(bad, 'close');
    const answer = await fetch(`http://127.0.0.1:${port}/good`);
    expect(await answer.text()).toBe('fine');
    expect(failures).toHaveLength(1);
    server.closeAllConnections();
    server.close();
  });
});
