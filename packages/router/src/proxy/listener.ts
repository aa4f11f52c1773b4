import { closeWhenIdle, guard, guardConnection, type ListenerTimeouts } from '@manta/base';
import { createServer as createHttp1Server, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ROUTER_LIMITS } from '@manta/base';
import { limitOptions } from '@manta/runtime';
import type { RawHeaders } from './call.ts';
import type { Certificates } from './certificates.ts';
import { KEEP_ALIVE_MS } from './keep-alive.ts';
import { createStallSweep, type StallSweep } from './stall-sweep.ts';
import { cutStalled, cutStalledStream, cutStream } from './stalled.ts';
import { createTlsDoor, HANDSHAKE } from './tls-door.ts';
import { isWebSocket } from './tunnel.ts';

/** Handlers of requests. */
export interface ListenerHandlers {
  request(request: IncomingMessage, response: ServerResponse): void;
  stream(stream: ServerHttp2Stream, headers: RawHeaders): void;
  /** Further streams for this client must be added to `sweep`. */
  webSocket(request: IncomingMessage, socket: Duplex, head: Buffer, sweep: StallSweep): void;
}

/** One address that serves clients by HTTP/1.1 and HTTP/2, with and without TLS. */
export interface ProxyListener {
  readonly port: number;
  /** Accepts no more connections, and resolves when all requests have ended, or at once when `cut` is aborted. */
  close(cut: AbortSignal): Promise<void>;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0');
/** No timeout for whole requests: they may be large, or streams. */
const LIMITS: ProxyListenerLimits = { ...ROUTER_LIMITS, requestMs: 0 };
const WINDOW = 1024 * 1024;

/** How long clients may be slow. */
export interface ProxyListenerLimits extends ListenerTimeouts {
  /** How long an incomplete request may send no data, or a response may not be read. */
  readonly stallMs: number;
}

/** Decides whether a new connection is served; a refused one is reset before a byte of it is parsed. */
export type Admit = (socket: Socket) => Promise<boolean>;

/** What may differ between listeners. */
export interface ProxyListenerOptions {
  readonly limits?: ProxyListenerLimits | undefined;
  /** Absent: all connections are served. */
  readonly admit?: Admit | undefined;
}

/** Listens; rejects with the system's error if the address cannot be listened on. */
export async function openListener(
  address: { readonly host?: string | undefined; readonly port: number },
  handlers: ListenerHandlers,
  certificates: Certificates,
  { limits = LIMITS, admit }: ProxyListenerOptions = {},
): Promise<ProxyListener> {
  const sweep = createStallSweep(limits.stallMs, limits.checkMs);
  const http1 = createHttp1Server({
    ...limitOptions(limits),
    shouldUpgradeCallback: isWebSocket,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  });
  http1.on(
    'request',
    guardConnection('router', (request, response) => {
      cutStalled(request, response, limits.stallMs);
      handlers.request(request, response);
    }),
  );
  http1.on(
    'upgrade',
    guardConnection('router', (request, socket, head) => handlers.webSocket(request, socket, head, sweep)),
  );
  const http2 = createHttp2Server({
    strictSingleValueFields: false,
    settings: { initialWindowSize: WINDOW, maxConcurrentStreams: 1_000 },
  });
  http2.on(
    'stream',
    guardConnection('router', (stream, _headers, _flags, rawHeaders) => {
      cutStalledStream(stream, limits.stallMs);
      sweep.watch(stream, (attempt) => cutStream(stream, attempt));
      handlers.stream(stream, rawHeaders);
    }),
  );
  const sessions = new Set<ServerHttp2Session>();
  http2.on(
    'session',
    guardConnection('router', (session) => {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
      session.on('error', () => session.destroy());
      closeWhenIdle('router', session, limits.idleMs);
    }),
  );
  const sockets = new Set<Socket>();
  const watch = (socket: Socket) => sweep.watch(socket, () => socket.destroy());
  shareConnections(http1, http2, certificates, { sockets, watch, silenceMs: limits.headersMs, admit });
  await listen(http1, address);
  return {
    port: boundPort(http1),
    async close(cut) {
      await close(http1, sessions, sockets, cut);
      sweep.stop();
    },
  };
}

interface Connections {
  readonly sockets: Set<Socket>;
  /** Cuts a connection whose client does not read. */
  readonly watch: (socket: Socket) => void;
  readonly silenceMs: number;
  readonly admit: Admit | undefined;
}

/** Hands each connection to the server that understands its first bytes. */
function shareConnections(
  http1: Server,
  http2: Http2Server,
  certificates: Certificates,
  { sockets, watch, silenceMs, admit }: Connections,
): void {
  const listeners = http1.listeners('connection');
  http1.removeAllListeners('connection');
  const takeHttp1 = (socket: Socket) => {
    for (const listener of listeners) listener.call(http1, socket);
  };
  const takeTls = createTlsDoor(certificates, silenceMs, (socket) => {
    if (socket.alpnProtocol === 'h2') {
      http2.emit('connection', socket);
      return;
    }
    watch(socket);
    takeHttp1(socket);
  });
  http1.on(
    'connection',
    guardConnection('router', async (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      if (admit !== undefined && !(await isAdmitted(socket, admit))) return;
      recognize(socket, silenceMs, (kind) => {
        if (kind === 'tls') takeTls(socket);
        // It reads the unshifted bytes itself.
        else if (kind === 'http2') {
          socket.allowHalfOpen = false;
          http2.emit('connection', socket);
        } else {
          watch(socket);
          takeHttp1(socket);
          socket.resume();
        }
      });
    }),
  );
}

/** Reads no byte while `admit` decides; resets a refused connection. */
async function isAdmitted(socket: Socket, admit: Admit): Promise<boolean> {
  const onError = () => socket.destroy();
  socket.on('error', onError);
  const isServed = await admit(socket);
  if (socket.destroyed) return false;
  if (isServed) socket.off('error', onError);
  else socket.resetAndDestroy();
  return isServed;
}

/** Detects the protocol from the first bytes of a connection and unshifts them. A silent connection is closed after `silenceMs`. */
function recognize(socket: Socket, silenceMs: number, recognized: (kind: 'tls' | 'http2' | 'http1') => void): void {
  const onError = () => socket.destroy();
  const onSilence = () => socket.destroy();
  socket.on('error', onError);
  socket.setTimeout(silenceMs, onSilence);
  const look = (seen: Buffer) => {
    socket.once(
      'data',
      guard('router', socket, (chunk: Buffer) => {
        const first = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
        const known = Math.min(first.length, PREFACE.length);
        const mayBeHttp2 = first.subarray(0, known).equals(PREFACE.subarray(0, known));
        if (mayBeHttp2 && known < PREFACE.length) return look(first);
        socket.setTimeout(0);
        socket.off('timeout', onSilence);
        socket.off('error', onError);
        socket.pause();
        socket.unshift(first);
        if (first[0] === HANDSHAKE) recognized('tls');
        else recognized(mayBeHttp2 ? 'http2' : 'http1');
      }),
    );
  };
  look(Buffer.alloc(0));
}

function listen(
  server: Server,
  { host, port }: { readonly host?: string | undefined; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function boundPort(server: Server): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

async function close(
  http1: Server,
  sessions: ReadonlySet<ServerHttp2Session>,
  sockets: ReadonlySet<Socket>,
  cut: AbortSignal,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    http1.close(() => resolve());
  });
  for (const session of sessions) session.close();
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  if (cut.aborted) cutAll();
  cut.addEventListener('abort', cutAll, { once: true });
  await closed;
  cut.removeEventListener('abort', cutAll);
}
