import { createServer } from 'node:net';

/** The wanted port if it is free, otherwise 0, which stands for any. */
export function firstFreePort(wanted: number, host: string): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(wanted, host, () => server.close(() => resolve(wanted)));
  });
}
