import { guard, messageOf } from '@manta/base';
import type { Duplex } from 'node:stream';
import { badRequest, type PodCall } from '@manta/apiserver';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { feed, onChannels, openChannels, sendAll, sendOn } from './channels.ts';
import { openSpdy, openSpdyTunnel } from './open-spdy.ts';
import { forwardStreams } from './spdy-forward.ts';

const PROTOCOL = 'portforward.k8s.io';

/** Carries connections to ports of a pod: over SPDY, as kubectl does, or over a WebSocket with two channels a port, for data and for what went wrong. */
export async function servePortForward(sandbox: Sandbox, call: PodCall): Promise<void> {
  const transport = openSpdy(call, PROTOCOL) ?? (await openSpdyTunnel(call, PROTOCOL));
  if (transport !== undefined) {
    await forwardStreams(sandbox, transport);
    return;
  }
  const ports = call.query
    .getAll('ports')
    .flatMap((text) => text.split(','))
    .map(Number);
  if (ports.length === 0 || ports.some((port) => !(Number.isInteger(port) && port > 0 && port < 65_536)))
    throw badRequest('query parameter "ports" is missing or wrong');
  const socket = await openChannels(call, ['v4.channel.k8s.io']);
  const open = new Map<number, Duplex>();
  socket.once(
    'close',
    guard(
      'port-forward',
      () => socket.terminate(),
      () => {
        for (const each of open.values()) each.destroy();
      },
    ),
  );
  for (const [index, port] of ports.entries()) {
    const [data, problem] = [index * 2, index * 2 + 1];
    const greeting = Buffer.from([port & 0xff, port >> 8]);
    sendOn(socket, data, greeting);
    sendOn(socket, problem, greeting);
    try {
      const connection = await sandbox.connect(port);
      // A client that has left meanwhile will not close this connection any more.
      if (socket.readyState !== socket.OPEN) connection.destroy();
      else open.set(data, connection);
    } catch (error) {
      sendOn(socket, problem, Buffer.from(messageOf(error)));
    }
  }
  for (const [data, connection] of open) {
    void sendAll(socket, data, connection);
    connection.on(
      'error',
      guard('port-forward', connection, (error) => sendOn(socket, data + 1, Buffer.from(error.message))),
    );
    connection.once('end', () => connection.end());
    connection.once('close', () => {
      open.delete(data);
      // One channel cannot be ended alone: the others go on until the last is over.
      if (open.size === 0) socket.close(1000);
    });
  }
  // Only now: what the client has said so far has waited.
  onChannels(socket, (channel, bytes) => {
    const connection = open.get(channel);
    if (connection !== undefined) feed(socket, connection, bytes);
  });
}
