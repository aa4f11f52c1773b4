import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { http1Limits, type ServerLimits } from '../../server/http/limits.ts';

/** What pods send out may be large and slow; the head of a request is neither. */
const LIMITS: ServerLimits = { headersMs: 60_000, requestMs: 0, idleMs: 60_000, checkMs: 15_000 };

/** The proxy that this process itself needs for an address; undefined where it needs none. */
export type ProxyFor = (url: URL) => URL | undefined;

/**
 * The way out of the pods' network: an HTTP proxy that only opens tunnels and plain requests to hosts outside, with this process's rights.
 * Where this process itself needs a proxy for an address, it goes through that one.
 */
export function createEgress(proxyFor: ProxyFor, limits = LIMITS): (socket: Socket) => void {
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(http1Limits(limits), (request, response) => {
    const { request: send } = process.getBuiltinModule('node:http');
    const url = URL.parse(request.url ?? '');
    if (url === null) {
      response.writeHead(400).end('this is a proxy: ask for http://host/path\n');
      return;
    }
    const { 'proxy-connection': _, ...headers } = request.headers;
    const upstream = proxyFor(url);
    const target =
      upstream === undefined
        ? { host: url.hostname, port: Number(url.port || 80), path: url.pathname + url.search }
        : { host: upstream.hostname, port: Number(upstream.port || 80), path: url.href };
    const onward = send(
      { ...target, method: request.method, headers: { ...headers, ...credentials(upstream) } },
      (answer) => {
        // Node takes it for a promise that it may have to refuse.
        const { trailer: _trailer, ...told } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, told);
        answer.on('error', () => response.destroy());
        answer.pipe(response);
      },
    );
    onward.on('error', (error) => {
      // One that breaks off in the middle must not look whole.
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end(`${error.message}\n`);
    });
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => openTunnel(request.url ?? '', socket, proxyFor));
  // It is given its connections and never listens, which is when Node begins to look for slow clients.
  server.emit('listening');
  return (socket) => void server.emit('connection', socket);
}

function credentials(proxy: URL | undefined): Readonly<Record<string, string>> {
  if (proxy === undefined || proxy.username === '') return {};
  const text = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

function openTunnel(target: string, inside: Duplex, proxyFor: ProxyFor): void {
  const [host = '', port = '443'] = target.split(':');
  const url = URL.parse(`https://${target}`);
  if (url === null) {
    inside.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    return;
  }
  const upstream = proxyFor(url);
  const outside =
    upstream === undefined
      ? connect({ host, port: Number(port) })
      : connect({ host: upstream.hostname, port: Number(upstream.port || 80) });
  inside.on('error', () => outside.destroy());
  outside.on('error', (error) => {
    inside.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${error.message}\n`);
  });
  outside.once('connect', () => {
    if (upstream === undefined) inside.write('HTTP/1.1 200 Connection established\r\n\r\n');
    // The proxy of this machine answers for itself.
    else {
      const further = Object.entries(credentials(upstream)).map(([name, value]) => `${name}: ${value}\r\n`);
      outside.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${further.join('')}\r\n`);
    }
    inside.pipe(outside).pipe(inside);
  });
}
