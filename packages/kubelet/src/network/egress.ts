import { guard, guardConnection, type ListenerTimeouts, POD_PROXY_LIMITS, timeoutOptions } from '@manta/base';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Authority, authorityOf, parseAuthority } from './authority.ts';
import { join } from './join.ts';
import { checkProxied, findOutside, type Resolve, RefusedHost, systemResolve } from './outside.ts';
import type { AddressPolicy } from './refused-address.ts';
import { endToEnd, refuse, refuseTunnel, relay } from './relay.ts';

/** Bodies of pods may be large and slow; heads of requests may not. */
const LIMITS: ListenerTimeouts = { headersMs: 60_000, requestMs: 0, idleMs: 60_000, checkMs: 15_000 };
const PLACE = 'egress proxy';

/** The proxy that this process itself needs for an address; undefined where it needs none. */
export type ProxyFor = (url: URL) => URL | undefined;

export interface EgressOptions {
  readonly proxyFor: ProxyFor;
  /** Hosts that pods may not reach with this process's rights. */
  readonly policy: AddressPolicy;
  readonly limits?: ListenerTimeouts;
  readonly resolve?: Resolve;
  /** Connections at once; those beyond are refused. */
  readonly maxConnections?: number;
}

type Egress = Required<Pick<EgressOptions, 'proxyFor' | 'policy' | 'resolve'>>;

/**
 * Egress of the pods' network: an HTTP proxy that opens tunnels and passes plain requests to hosts outside, with this process's rights.
 * It refuses hosts that the policy refuses. If this process itself needs a proxy for an address, requests go through that proxy.
 */
export function createEgress(options: EgressOptions): (socket: Socket) => void {
  const { limits = LIMITS, resolve = systemResolve, maxConnections = POD_PROXY_LIMITS.egressConnections } = options;
  const egress: Egress = { proxyFor: options.proxyFor, policy: options.policy, resolve };
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(
    timeoutOptions(limits),
    guardConnection(PLACE, (request: IncomingMessage, response: ServerResponse) => pass(request, response, egress)),
  );
  server.on(
    'connect',
    guardConnection(PLACE, (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      openTunnel(request.url ?? '', socket, head, egress),
    ),
  );
  // It is given its connections and never listens, which is when Node begins to look for slow clients.
  server.emit('listening');
  let open = 0;
  return guardConnection(PLACE, (socket: Socket) => {
    if (open >= maxConnections) {
      refuseTunnel(socket, '503 Service Unavailable', `pods have ${maxConnections} connections open, the limit`);
      return;
    }
    open += 1;
    socket.once('close', () => (open -= 1));
    server.emit('connection', socket);
  });
}

async function pass(request: IncomingMessage, response: ServerResponse, egress: Egress): Promise<void> {
  const url = URL.parse(request.url ?? '');
  const to = url === null ? undefined : authorityOf(url);
  if (url === null || to === undefined) {
    refuse(response, 400, `this is a proxy: request http://host/path instead of "${shown(request.url)}"`);
    return;
  }
  try {
    const upstream = egress.proxyFor(url);
    // A proxy names the host itself: a client's own Host header could name another.
    const headers = { ...endToEnd(request.headers), host: url.host };
    if (upstream === undefined) {
      const outside = await findOutside(to.host, egress.policy, egress.resolve);
      const path = url.pathname + url.search;
      await relay(request, response, { ...outside, port: to.port, method: request.method, path, headers });
      return;
    }
    await checkProxied(to.host, egress.policy, egress.resolve);
    const proxy = { host: upstream.hostname, port: Number(upstream.port || 80) };
    const withCredentials = { ...headers, ...credentials(upstream) };
    await relay(request, response, { ...proxy, method: request.method, path: url.href, headers: withCredentials });
  } catch (error) {
    refuse(response, error instanceof RefusedHost ? 403 : 502, error);
  }
}

function credentials(proxy: URL): Readonly<Record<string, string>> {
  if (proxy.username === '') return {};
  const text = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

async function openTunnel(target: string, inside: Duplex, head: Buffer, egress: Egress): Promise<void> {
  inside.on('error', () => inside.destroy());
  const to = parseAuthority(target);
  const url = to === undefined ? null : URL.parse(`https://${target}`);
  if (to === undefined || url === null) {
    refuseTunnel(inside, '400 Bad Request', `CONNECT needs host:port or [address]:port, not "${shown(target)}"`);
    return;
  }
  try {
    const upstream = egress.proxyFor(url);
    const outside = await reach(inside, to, upstream, egress);
    if (inside.destroyed) {
      outside.destroy();
      return;
    }
    if (upstream === undefined) inside.write('HTTP/1.1 200 Connection established\r\n\r\n');
    // The proxy of this machine answers for itself.
    else outside.write(connectRequest(target, upstream));
    if (head.length > 0) outside.write(head);
    join(inside, outside);
  } catch (error) {
    refuseTunnel(inside, error instanceof RefusedHost ? '403 Forbidden' : '502 Bad Gateway', error);
  }
}

function connectRequest(target: string, upstream: URL): string {
  const further = Object.entries(credentials(upstream)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${further.join('')}\r\n`;
}

async function reach(inside: Duplex, to: Authority, upstream: URL | undefined, egress: Egress): Promise<Socket> {
  const { policy, resolve } = egress;
  if (upstream === undefined)
    return await connected(inside, { ...(await findOutside(to.host, policy, resolve)), port: to.port });
  await checkProxied(to.host, policy, resolve);
  return await connected(inside, { host: upstream.hostname, port: Number(upstream.port || 80) });
}

/** A connection that stands. One whose client leaves before is given up. */
function connected(inside: Duplex, to: TcpNetConnectOpts): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...to, allowHalfOpen: true });
    const giveUp = () => void socket.destroy();
    inside.once('close', giveUp);
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('the client has left')));
    socket.once(
      'connect',
      guard('egress proxy', socket, () => {
        inside.off('close', giveUp);
        resolve(socket);
      }),
    );
    if (inside.destroyed) giveUp();
  });
}

/** What a client sent, short enough for an answer. */
function shown(text = ''): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
