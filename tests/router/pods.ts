import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';

/** Something that answers as a pod of a Service would. */
export interface TestPod {
  readonly address: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Answers every request with this text, once the request has come in whole. */
export async function startPod(text: string): Promise<TestPod> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => setImmediate(() => response.end(text)));
  });
  const address = ownAddress();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, resolve);
  });
  const bound = server.address();
  return {
    address,
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** API servers do not take loopback addresses as endpoints. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) throw new Error('these tests need a network interface besides loopback');
  return found.address;
}
