import { guard } from '@manta/base';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { TransportError } from '../api-error.ts';
import type { Clock } from '../clock.ts';
import type { Connection, Credentials } from './connection.ts';
import type { RequestObserver } from './transport.ts';
import { AttemptError } from './attempt-error.ts';
import { explainConnectFailure } from './explain-connect-failure.ts';

/** A connected stream and the protocol that both ends agreed on. */
export interface OpenedSocket {
  readonly socket: Socket;
  /** What is below TLS; the same as `socket` without TLS. */
  readonly tcp: Socket;
  readonly protocol: 'h2' | 'http/1.1';
}

export interface SocketOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** For the whole of it: name lookup, TCP, proxy, TLS. */
  readonly connectTimeoutMs: number;
  readonly observer?: Pick<RequestObserver, 'hostResolved'> | undefined;
  /** Aborted when no connection is needed any more: connecting sockets would keep the process alive. */
  readonly closing?: AbortSignal | undefined;
}

/** Connects and, for https, makes the TLS session. Fails with one line that says what to do. */
export async function openSocket(
  options: SocketOptions,
  credentials: Credentials,
  protocols: readonly OpenedSocket['protocol'][],
): Promise<OpenedSocket> {
  const { connection, clock, connectTimeoutMs, closing } = options;
  const controller = new AbortController();
  const onClosing = () => controller.abort(closing?.reason);
  closing?.addEventListener('abort', onClosing, { once: true });
  const cancelTimer = clock.setTimer(connectTimeoutMs, () => controller.abort(new ConnectTimeout(connectTimeoutMs)));
  try {
    const raw = await openRaw(options, controller.signal);
    raw.setNoDelay(true);
    raw.setKeepAlive(true, KEEP_ALIVE_MS);
    if (connection.server.protocol !== 'https:') return { socket: raw, tcp: raw, protocol: 'http/1.1' };
    const secured = await secure(raw, connection, credentials, protocols, controller.signal);
    return { socket: secured, tcp: raw, protocol: secured.alpnProtocol === 'h2' ? 'h2' : 'http/1.1' };
  } catch (error) {
    if (error instanceof TransportError) throw error;
    throw new AttemptError(explainConnectFailure(error, connection.server), 'never', {
      cause: error,
      wasNeverSent: true,
    });
  } finally {
    cancelTimer();
    closing?.removeEventListener('abort', onClosing);
  }
}

const KEEP_ALIVE_MS = 30_000;

class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';
  constructor(timeoutMs: number) {
    super(`no connection within ${timeoutMs / 1000} s`);
  }
}

async function openRaw(options: SocketOptions, signal: AbortSignal): Promise<Socket> {
  const { connection } = options;
  if (connection.connectSocket === undefined) return await openDirectly(options, signal);
  try {
    return await connection.connectSocket(signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof Error) || error instanceof TransportError || 'code' in error) throw error;
    throw new AttemptError(error.message, 'never', { cause: error, wasNeverSent: true });
  }
}

function openDirectly({ connection, clock, observer }: SocketOptions, signal: AbortSignal): Promise<Socket> {
  const { server } = connection;
  const port = Number(server.port) || (server.protocol === 'https:' ? 443 : 80);
  const host = withoutBrackets(server.hostname);
  const startedAtMs = clock.now();
  const socket = connectTcp({ host, port });
  socket.once(
    'lookup',
    guard('connection to the API server', socket, () =>
      observer?.hostResolved({ host, durationMs: clock.now() - startedAtMs }),
    ),
  );
  return settled(socket, 'connect', signal);
}

async function secure(
  raw: Socket,
  connection: Connection,
  credentials: Credentials,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { tls, server } = connection;
  const name = tls.serverName ?? withoutBrackets(server.hostname);
  try {
    const socket = connectTls({
      socket: raw,
      // `host` is what the certificate is checked against; an address may not be sent as a server name.
      host: name,
      ...(isAddress(name) ? {} : { servername: name }),
      ALPNProtocols: [...protocols],
      secureContext: secureContextFor(tls.ca, credentials),
      rejectUnauthorized: tls.rejectUnauthorized,
    });
    return await settled(socket, 'secureConnect', signal);
  } catch (error) {
    raw.destroy();
    throw error;
  }
}

const secureContexts = new WeakMap<Credentials, { ca: string | undefined; context: SecureContext }>();

/** Parsing certificates is the dearest part of a reconnect; they stay the same as long as the credentials do. */
function secureContextFor(ca: string | undefined, credentials: Credentials): SecureContext {
  const known = secureContexts.get(credentials);
  if (known !== undefined && known.ca === ca) return known.context;
  const { cert, key } = credentials;
  const context = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
  secureContexts.set(credentials, { ca, context });
  return context;
}

/** Waits for `event`; an error, a close or the signal destroys the socket and rejects. */
function settled<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const finish = guard('connection to the API server', socket, (error: unknown) => {
      socket.off(event, onReady);
      socket.off('error', finish);
      socket.off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(error);
    });
    const onReady = guard('connection to the API server', socket, () => finish(undefined));
    // A failure right after the connect may come before the new owner listens; it will find the socket destroyed.
    socket.on('error', () => undefined);
    const onClose = guard('connection to the API server', socket, () =>
      finish(Object.assign(new Error('the connection was closed'), { code: 'ERR_SOCKET_CLOSED' })),
    );
    const onAbort = () => finish(signal.reason);
    socket.once(event, onReady);
    socket.once('error', finish);
    socket.once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function isAddress(name: string): boolean {
  return /^[\d.]+$/.test(name) || name.includes(':');
}
