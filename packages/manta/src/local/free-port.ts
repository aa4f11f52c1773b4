import { createServer } from 'node:net';

/** The wanted port if it is free, otherwise 0, which stands for any. */
export async function firstFreePort(wanted: number, host: string): Promise<number> {
  return (await isPortFree(wanted, host)) ? wanted : 0;
}

/** Whether this process could listen on a port now. */
export function isPortFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
