import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, portOf } from '../testing/index.ts';
import { hasLostPeer } from './lost-peer.ts';

test('a reset is found on a socket that nobody reads from, and only then', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const accepted = once(server, 'connection');
  const socket = connect(portOf(server), '127.0.0.1');
  socket.pause();
  await once(socket, 'connect');
  const [peer] = (await accepted) as [Socket];
  expect(hasLostPeer(socket)).toBe(false);
  peer.resetAndDestroy();
  await eventually(() => hasLostPeer(socket));
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});
