import type { Duplex } from 'node:stream';
import { badRequest } from '../../server/errors.ts';
import type { PodCall } from '../../server/subresources/pod-backend.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { onChannels, openChannels, sendOn } from './channels.ts';

/** Carries connections to ports of a pod over a WebSocket: two channels a port, one for data and one for what went wrong. */
export async function servePortForward(sandbox: Sandbox, call: PodCall): Promise<void> {
  const ports = call.query
    .getAll('ports')
    .flatMap((text) => text.split(','))
    .map(Number);
  if (ports.length === 0 || ports.some((port) => !(port > 0 && port < 65_536)))
    throw badRequest('query parameter "ports" is missing or wrong');
  const socket = await openChannels(call, ['v4.channel.k8s.io']);
  const open = new Map<number, Duplex>();
  const closeAll = () => {
    for (const each of open.values()) each.destroy();
  };
  socket.once('close', closeAll);
  onChannels(socket, (channel, bytes) => open.get(channel)?.write(bytes));
  for (const [index, port] of ports.entries()) {
    const [data, problem] = [index * 2, index * 2 + 1];
    const greeting = Buffer.from([port & 0xff, port >> 8]);
    sendOn(socket, data, greeting);
    sendOn(socket, problem, greeting);
    try {
      const connection = await sandbox.connect(port);
      open.set(data, connection);
      connection.on('data', (chunk: Buffer) => sendOn(socket, data, chunk));
      connection.on('error', (error) => sendOn(socket, problem, Buffer.from(error.message)));
      connection.once('close', () => socket.close(1000));
    } catch (error) {
      sendOn(socket, problem, Buffer.from(error instanceof Error ? error.message : String(error)));
    }
  }
}
