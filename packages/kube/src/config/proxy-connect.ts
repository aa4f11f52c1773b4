import { guard } from '@manta/base';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { TransportError } from '../api-error.ts';
import type { ServerTls } from '../transport/connection.ts';
import { errorMessage } from './config-error.ts';
import { PROXY_PORTS } from './proxy-for.ts';
import { connectSocks5, type TunnelTarget } from './socks5.ts';

/** The host and port of a server's URL. */
export function tunnelTarget(server: URL): TunnelTarget {
  const fallback = server.protocol === 'https:' ? 443 : 80;
  return { host: server.hostname.replace(/^\[|\]$/g, ''), port: server.port === '' ? fallback : Number(server.port) };
}

/**
 * Opens a TCP stream to `target` through an http, https or socks5 proxy; rejects with a `TransportError` that names the proxy.
 * `signal` ends the attempt only: a stream that was handed out outlives it. An https proxy may be vouched for by the CA in `trust`
 * as well as by the machine's own roots.
 */
export async function connectThroughProxy(
  proxy: URL,
  target: TunnelTarget,
  signal: AbortSignal,
  trust: Pick<ServerTls, 'ca' | 'rejectUnauthorized'> = { rejectUnauthorized: true },
): Promise<Socket> {
  signal.throwIfAborted();
  const attempt = new AbortController();
  const onAbort = () => attempt.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const isSocks = proxy.protocol === 'socks5:' || proxy.protocol === 'socks5h:';
    const socket = await (isSocks
      ? connectSocks5(proxy, target, attempt.signal)
      : connectHttp(proxy, target, attempt.signal, trust));
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    return socket;
  } catch (cause) {
    signal.throwIfAborted();
    throw new TransportError(`the proxy ${displayUrl(proxy)} ${errorMessage(cause)}`, { cause, wasNeverSent: true });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The proxy's address without its password. */
export function displayUrl(proxy: URL): string {
  return `${proxy.protocol}//${proxy.hostname}:${proxy.port || PROXY_PORTS[proxy.protocol]}`;
}

async function connectHttp(
  proxy: URL,
  target: TunnelTarget,
  signal: AbortSignal,
  trust: Pick<ServerTls, 'ca' | 'rejectUnauthorized'>,
): Promise<Socket> {
  const authority = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`;
  // Importing node:http evaluates all that it exports, a whole HTTP client with fetch among it: 20 ms of every start, for the few who need it.
  const send = proxy.protocol === 'https:' ? httpsRequest : process.getBuiltinModule('node:http').request;
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const request: ClientRequest = send({
    method: 'CONNECT',
    host,
    // Else Node would expect the name in the Host header, which is the target's, in the proxy's certificate.
    servername: isIP(host) === 0 ? host : '',
    port: proxy.port || PROXY_PORTS[proxy.protocol],
    path: authority,
    headers: { host: authority, ...proxyAuthorization(proxy) },
    agent: false,
    signal,
    rejectUnauthorized: trust.rejectUnauthorized,
    ...(trust.ca === undefined ? {} : { ca: [...rootCertificates, trust.ca] }),
  });
  return await new Promise((resolve, reject) => {
    request.once(
      'connect',
      guard('connection to the API server', request, (answer: IncomingMessage, socket: Socket, head: Buffer) => {
        if (answer.statusCode !== 200) {
          socket.destroy();
          reject(new Error(refusal(authority, answer)));
          return;
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      }),
    );
    request.once(
      'response',
      guard('connection to the API server', request, (answer) => {
        answer.destroy();
        reject(new Error(refusal(authority, answer)));
      }),
    );
    request.once(
      'error',
      guard('connection to the API server', request, (cause) =>
        reject(new Error(`cannot be reached (${errorMessage(cause)})`, { cause })),
      ),
    );
    request.end();
  });
}

function refusal(authority: string, answer: IncomingMessage): string {
  const reason = `${answer.statusCode} ${answer.statusMessage}`.trim();
  const advice =
    answer.statusCode === 407
      ? 'put a user and password into its address'
      : 'allow the address there, or list it in NO_PROXY';
  return `refused to connect to ${authority}: ${reason}; ${advice}`;
}

function proxyAuthorization(proxy: URL): Readonly<Record<string, string>> {
  if (proxy.username === '' && proxy.password === '') return {};
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login, 'utf8').toString('base64')}` };
}
