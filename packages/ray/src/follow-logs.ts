import { createHash, randomBytes } from 'node:crypto';
import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { guard, guardConnection, messageOf, RAY_LIMITS } from '@manta/base';
import { RayCallError, type RayCallErrorDetails } from './call-error.ts';
import { statusError } from './call-head.ts';
import type { RayHead } from './head.ts';
import { HeadAnswer } from './head-answer.ts';
import type { HttpSendOptions } from './http-send.ts';
import { jobPath } from './jobs.ts';
import { openTunnel } from './proxy-tunnel.ts';
import { clientFrame, FrameReader } from './websocket-frames.ts';

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

/**
 * What a job prints, from its beginning and until it has ended. Ends when the head closes the stream in order, which says nothing of the
 * job's outcome; throws {@link RayCallError} when the stream breaks or the head has no such job. Reads no faster than it is read.
 */
export async function* followLogs(options: FollowLogsOptions): AsyncGenerator<string, void> {
  const call = callOf(options);
  const socket = await open(options, call);
  const reader = new FrameReader(MAX_MESSAGE_BYTES);
  const end = () => socket.destroy();
  options.signal.addEventListener('abort', end, { once: true });
  try {
    for await (const chunk of socket) {
      for (const frame of reader.push(chunk)) {
        if (frame.kind === 'text') yield frame.text;
        else if (frame.kind === 'ping') socket.write(clientFrame('pong', frame.payload));
        else {
          socket.end(clientFrame('close'));
          if (frame.code === NORMAL_CLOSURE) return;
          throw broken(call, `was closed by the head with code ${frame.code}${frame.reason && `: ${frame.reason}`}`);
        }
      }
    }
    throw broken(call, 'broke off');
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof RayCallError) throw error;
    throw broken(call, `broke off (${messageOf(error)})`, error);
  } finally {
    options.signal.removeEventListener('abort', end);
    socket.destroy();
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

/** Shakes hands, and gives the stream on which frames travel. */
async function open({ proxyFor, headers, tls, signal }: FollowLogsOptions, call: FollowCall): Promise<Duplex> {
  const url = new URL(call.url);
  const key = randomBytes(16).toString('base64');
  const proxy = proxyFor?.(url);
  try {
    const tunnel = proxy === undefined ? undefined : await openTunnel(proxy, url, signal);
    const upgraded = await upgrade(url, {
      ...tls,
      headers: { ...headersOf(call, key), ...headers },
      signal,
      ...overTunnel(tunnel, url),
    });
    if (upgraded.kind === 'answer') throw statusError(call, upgraded.answer);
    if (upgraded.accept !== acceptFor(key)) throw new Error('the answer to the handshake is not the expected one');
    return upgraded.socket;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RayCallError) throw error;
    throw broken(call, `could not be opened (${messageOf(error)})`, error);
  }
}

function headersOf(call: FollowCall, key: string): Readonly<Record<string, string>> {
  return {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
    'user-agent': 'manta',
    ...(call.token !== undefined && { 'x-ray-authorization': `Bearer ${call.token}` }),
  };
}

/** Over a tunnel, plain HTTP uses it as it is, and HTTPS puts TLS on it by itself. */
function overTunnel(tunnel: Duplex | undefined, url: URL): RequestOptions & { readonly socket?: Duplex } {
  if (tunnel === undefined) return { agent: false };
  return url.protocol === 'https:' ? { socket: tunnel, agent: false } : { createConnection: () => tunnel };
}

type Upgraded =
  | { readonly kind: 'stream'; readonly socket: Duplex; readonly accept: string | undefined }
  | { readonly kind: 'answer'; readonly answer: HeadAnswer };

function upgrade(url: URL, options: RequestOptions): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
    request.once(
      'upgrade',
      guardConnection('call to a Ray head', (response, socket, first) => {
        if (first.length > 0) socket.unshift(first);
        resolve({ kind: 'stream', socket, accept: response.headers['sec-websocket-accept'] });
      }),
    );
    request.once(
      'response',
      guard('call to a Ray head', request, (response) => readAnswer(response).then(resolve, reject)),
    );
    request.once('error', reject);
    request.end();
  });
}

async function readAnswer(response: IncomingMessage): Promise<Upgraded> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > RAY_LIMITS.answerBytes.error) break;
  }
  return { kind: 'answer', answer: new HeadAnswer(response.statusCode ?? 0, Buffer.concat(chunks)) };
}

function acceptFor(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}
