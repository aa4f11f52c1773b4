import { guardConnection } from '@manta/base';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { breakOff } from './join.ts';
import type { Admit } from './loopback-access.ts';

/**
 * Makes an HTTP server take only admitted connections; others are reset before a byte is parsed. The server keeps listening by itself,
 * because it enforces its timeouts only then. Gives the connections that wait for the decision, which the server does not know yet.
 */
export function admitFirst(server: Server, place: string, admit: Admit | undefined): ReadonlySet<Socket> {
  const waiting = new Set<Socket>();
  if (admit === undefined) return waiting;
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on(
    'connection',
    guardConnection(place, async (socket: Socket) => {
      waiting.add(socket);
      const onError = () => socket.destroy();
      socket.on('error', onError);
      const isAdmitted = await admit(socket);
      waiting.delete(socket);
      if (socket.destroyed) return;
      if (!isAdmitted) {
        breakOff(socket);
        return;
      }
      socket.off('error', onError);
      for (const listener of listeners) listener.call(server, socket);
    }),
  );
  return waiting;
}
