import type { IncomingMessage } from 'node:http';
import { guard, messageOf, RAY_LIMITS } from '@manta/base';
import type { WebSocket } from 'ws';
import { RayCallError, type RayCallErrorDetails } from './call-error.ts';
import { statusError } from './call-head.ts';
import type { RayHead } from './head.ts';
import { HeadAnswer } from './head-answer.ts';
import type { HttpSendOptions } from './http-send.ts';
import { jobPath } from './jobs.ts';
import { openTunnel } from './proxy-tunnel.ts';

/** Whose logs, and how the head is reached. */
export interface FollowLogsOptions {
  readonly head: Pick<RayHead, 'url' | 'token'>;
  /** The submission id. */
  readonly id: string;
  readonly proxyFor?: ((url: URL) => URL | undefined) | undefined;
  /** Sent with the handshake besides its own headers; names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How the certificate of a head behind HTTPS is checked; absent: against the machine's own roots. */
  readonly tls?: HttpSendOptions['tls'];
  /** Ends the following when aborted. */
  readonly signal: AbortSignal;
}

const MAX_MESSAGE_BYTES = RAY_LIMITS.logMessageBytes;
const NORMAL_CLOSURE = 1000;
/** The code of a connection that ended without a close frame. */
const ABNORMAL_CLOSURE = 1006;
/** How long the head may take to close the connection after its close frame. */
const CLOSE_TIMEOUT_MS = 1000;
const PLACE = 'call to a Ray head';

/**
 * The logs of a job, from its beginning until it ends. Returns when the head closes the stream normally, which does not tell the job's
 * outcome; throws {@link RayCallError} when the stream breaks or the head has no such job. Applies backpressure to the head.
 */
export async function* followLogs(options: FollowLogsOptions): AsyncGenerator<string, void> {
  const call = callOf(options);
  const { createWebSocketStream } = await import('ws');
  const socket = await open(options, call);
  let closed = { code: ABNORMAL_CLOSURE, reason: '' };
  socket.once(
    'close',
    guard('logs of a job', undefined, (code: number, reason: Buffer) => {
      closed = { code, reason: reason.toString() };
    }),
  );
  const messages = createWebSocketStream(socket, { readableObjectMode: true });
  const end = () => socket.terminate();
  options.signal.addEventListener('abort', end, { once: true });
  try {
    for await (const text of messages) yield String(text);
    options.signal.throwIfAborted();
    if (closed.code === NORMAL_CLOSURE) return;
    if (closed.code === ABNORMAL_CLOSURE) throw broken(call, 'broke off');
    throw broken(call, `was closed by the head with code ${closed.code}${closed.reason && `: ${closed.reason}`}`);
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof RayCallError) throw error;
    throw broken(call, `broke off (${messageOf(error)})`, error);
  } finally {
    options.signal.removeEventListener('abort', end);
    socket.terminate();
  }
}

type FollowCall = Parameters<typeof statusError>[0];

function callOf({ head, id, signal }: FollowLogsOptions): FollowCall {
  const url = `${head.url}${jobPath(id)}/logs/tail`;
  return {
    name: 'TailJobLogs',
    method: 'GET',
    url,
    token: head.token,
    timeoutMs: 0,
    maxBytes: MAX_MESSAGE_BYTES,
    signal,
  };
}

function broken(call: FollowCall, problem: string, cause?: unknown): RayCallError {
  const { method, url } = call;
  const details: RayCallErrorDetails = { failure: 'unreachable', method, url, didNothing: false, cause };
  return new RayCallError(`the log stream ${url} ${problem}`, details);
}

/** Opens the WebSocket. The library is loaded only when logs are followed. */
async function open({ proxyFor, headers, tls, signal }: FollowLogsOptions, call: FollowCall): Promise<WebSocket> {
  const url = new URL(call.url);
  const proxy = proxyFor?.(url);
  try {
    const { WebSocket } = await import('ws');
    const tunnel = proxy === undefined ? undefined : await openTunnel(proxy, url, signal);
    const isSecure = url.protocol === 'https:';
    const options = {
      ...tls,
      headers: { ...headersOf(call), ...headers },
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      closeTimeout: CLOSE_TIMEOUT_MS,
      // With TLS, the tunnel carries it; without, the tunnel is the connection.
      ...(tunnel === undefined ? {} : isSecure ? { socket: tunnel } : { createConnection: () => tunnel }),
    };
    const socket = new WebSocket(`${isSecure ? 'wss:' : 'ws:'}//${url.host}${url.pathname}${url.search}`, options);
    await opened(socket, call, signal);
    return socket;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RayCallError) throw error;
    throw broken(call, `could not be opened (${messageOf(error)})`, error);
  }
}

function headersOf(call: FollowCall): Readonly<Record<string, string>> {
  const token = call.token === undefined ? {} : { 'x-ray-authorization': `Bearer ${call.token}` };
  return { 'user-agent': 'manta', ...token };
}

/** Resolves after the handshake; rejects with the head's answer if it refuses. */
async function opened(socket: WebSocket, call: FollowCall, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = () => socket.terminate();
  signal.addEventListener('abort', end, { once: true });
  // The first message may follow the handshake at once: nothing is read before the caller reads.
  socket.once(
    'open',
    guard(PLACE, end, () => {
      socket.pause();
      resolve();
    }),
  );
  socket.on('error', reject);
  socket.once(
    'unexpected-response',
    guard(PLACE, end, (_, response) => {
      const refuse = (answer: HeadAnswer) => {
        reject(statusError(call, answer));
        socket.terminate();
      };
      readAnswer(response).then(refuse, reject);
    }),
  );
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function readAnswer(response: IncomingMessage): Promise<HeadAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > RAY_LIMITS.answerBytes.error) break;
  }
  return new HeadAnswer(response.statusCode ?? 0, Buffer.concat(chunks));
}
