import type { Server } from 'node:http';
import { guard } from '@manta/base';
import type { ListenAddress } from '@manta/runtime';

/** Starts to listen and gives the port. Rejects with one readable line that names the flag. */
export function listenOn(server: Server, { host, port }: ListenAddress, flag: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once(
      'error',
      guard('console', reject, (error: NodeJS.ErrnoException) => {
        const cause = error.code === 'EADDRINUSE' ? 'address already in use' : error.message;
        const message = `cannot listen on ${host ?? ''}:${port}: ${cause}. Choose another port with ${flag}, or 0 for any free port.`;
        reject(new Error(message));
      }),
    );
    server.listen(
      port,
      host ?? '127.0.0.1',
      guard('console', reject, () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      }),
    );
  });
}

/** Stops listening and cuts every connection. */
export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => {
    server.close(done);
  });
}
