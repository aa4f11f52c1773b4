import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { backendOf, tableOf } from '../../packages/router/src/testing/backends.ts';
import { createParts } from '../../packages/router/src/testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

const KEEP_ALIVE_TIMER = '02';

/** The timer that the system runs for the connection from one local port to another, as /proc/net/tcp has it. */
function timerOf(from: number, to: number): string | undefined {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .find((one) => one.includes(`0100007F:${hex(from)} 0100007F:${hex(to)} 01`));
  return line?.trim().split(/\s+/)[5]?.slice(0, 2);
}

describe.runIf(process.platform === 'linux')('a WebSocket whose peer has vanished', () => {
  it('is found by keep-alive probes, on the side of the client and of the backend', async () => {
    const sockets: Socket[] = [];
    const backend = await parts.tcpBackend((socket) => {
      sockets.push(socket);
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'),
      );
    });
    const { proxy, port } = await parts.proxy();
    proxy.setTable(tableOf([backendOf('d/a:1', 1, backend)]));
    const client = connect(port, '127.0.0.1');
    parts.also(() => void client.destroy());
    client.write('GET / HTTP/1.1\r\nhost: h\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n');
    await once(client, 'data');
    expect(timerOf(port, client.localPort ?? 0)).toBe(KEEP_ALIVE_TIMER);
    expect(timerOf(sockets[0]?.remotePort ?? 0, backend.port)).toBe(KEEP_ALIVE_TIMER);
  });
});
