import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { http1Limits, type ServerLimits } from '../../server/http/limits.ts';
import { join } from './join.ts';

/** What is sent through may be large and slow; the head of a request is neither. */
const LIMITS: ServerLimits = { headersMs: 60_000, requestMs: 0, idleMs: 60_000, checkMs: 15_000 };

/** Opens a connection to what a host name and a port stand for; rejects with a readable message. */
export type Dial = (host: string, port: number) => Promise<Duplex>;

/** An HTTP proxy on a loopback port through which programs outside the pods' network reach Services and pods by name. */
export interface ServiceProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves plain requests (`GET http://host/…`) and tunnels (`CONNECT host:port`). */
export async function startServiceProxy(dial: Dial, limits = LIMITS): Promise<ServiceProxy> {
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(http1Limits(limits), (request, response) => void pass(request, response, dial));
  server.on(
    'connect',
    (request: IncomingMessage, socket: Duplex, head: Buffer) => void tunnel(request, socket, head, dial),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function pass(request: IncomingMessage, response: ServerResponse, dial: Dial): Promise<void> {
  const url = URL.parse(request.url ?? '');
  if (url === null) {
    response.writeHead(400).end('this is a proxy: ask for http://host:port/path\n');
    return;
  }
  try {
    const socket = await dial(url.hostname, Number(url.port || 80));
    const { request: send } = process.getBuiltinModule('node:http');
    const { 'proxy-connection': _, ...headers } = request.headers;
    const options = {
      method: request.method,
      path: url.pathname + url.search,
      headers: { ...headers, connection: 'close' },
    };
    const onward = send({ ...options, createConnection: () => socket }, (answer) => {
      // Node takes it for a promise that it may have to refuse.
      const { trailer: _trailer, ...told } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, told);
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    onward.on('error', (error) => refuse(response, error));
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  } catch (error) {
    refuse(response, error);
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  // One that breaks off in the middle must not look whole.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(502, { 'content-type': 'text/plain' });
  response.end(`${error instanceof Error ? error.message : String(error)}\n`);
}

async function tunnel(request: IncomingMessage, socket: Duplex, head: Buffer, dial: Dial): Promise<void> {
  socket.on('error', () => socket.destroy());
  const [host = '', port = '80'] = (request.url ?? '').split(':');
  try {
    const far = await dial(host, Number(port));
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) far.write(head);
    join(socket, far);
  } catch (error) {
    socket.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${error instanceof Error ? error.message : String(error)}\n`);
  }
}
