import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEgress } from '../../packages/kubelet/src/network/egress.ts';
import { createAddressPolicy } from '../../packages/kubelet/src/network/refused-address.ts';

/** Connections that the engine has not closed. */
const open = new Set<Socket>();
const clients = new Set<Socket>();
let handle: (socket: Socket) => void;
const egress = createServer({ allowHalfOpen: true }, (socket) => {
  open.add(socket);
  socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
  handle(socket);
});

beforeEach(async () => {
  const policy = createAddressPolicy({ engineRanges: [] });
  handle = createEgress({ proxyFor: () => undefined, policy, maxConnections: 1 });
  await once(egress.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  for (const socket of [...clients, ...open]) socket.destroy();
  clients.clear();
  await new Promise((resolve) => egress.close(resolve));
});

function client(): Socket {
  const { port } = egress.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  clients.add(socket);
  return socket.on('error', () => undefined);
}

describe('egress proxy', () => {
  it('closes connections beyond its limit, though their clients sent a request and never leave', async () => {
    await once(client(), 'connect');
    await vi.waitFor(() => expect(open.size).toBe(1));
    for (let n = 0; n < 20; n += 1) client().write('CONNECT example.com:443 HTTP/1.1\r\n\r\n');
    await vi.waitFor(() => expect(open.size).toBeGreaterThan(10));
    await vi.waitFor(() => expect(open.size).toBe(1), { timeout: 5000 });
  });

  it('closes a refused tunnel whose client goes on to send', async () => {
    const socket = client();
    socket.write('CONNECT 127.0.0.1:443 HTTP/1.1\r\nhost: x\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('403 Forbidden');
    socket.write('more');
    await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 5000 });
  });
});
