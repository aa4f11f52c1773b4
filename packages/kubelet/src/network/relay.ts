import { guard, messageOf } from '@manta/base';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { type HttpRequest, type HttpResponse, isGone } from '@manta/apiserver';

/** Headers that belong to one connection and are not passed on (RFC 9110, 7.6.1), with those that old clients send for the same purpose. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export type Headers = Readonly<Record<string, string | string[]>>;

/** The headers of a message that are meant for its receiver, not for one connection; `Connection` may name further ones. */
export function endToEnd(headers: IncomingHttpHeaders, without: ReadonlySet<string> = new Set()): Headers {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name.startsWith(':') || HOP_BY_HOP.has(name) || named.has(name) || without.has(name)
        ? []
        : [[name, value] as const],
    ),
  );
}

/** The target that a request is relayed to. */
export interface Onward extends Pick<RequestOptions, 'host' | 'port' | 'lookup'> {
  /** A connection that stands already; it is ended in every case. */
  readonly socket?: Duplex;
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: Headers;
  /** Changes the headers of the answer; they are passed back as they are unless given. */
  readonly answerHeaders?: (headers: Headers) => Headers;
}

/**
 * Sends a request on and passes the answer back as it streams. Resolves when the answer is complete or the client has left; rejects when it
 * cannot be had, or is no answer that HTTP allows. Leaves no connection behind, whatever fails.
 */
export async function relay(request: HttpRequest, response: HttpResponse, onward: Onward): Promise<void> {
  const { socket, headers, answerHeaders = (same) => same, ...target } = onward;
  if (isGone(response)) {
    socket?.destroy();
    return;
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let sent: ClientRequest | undefined;
  try {
    sent = open({
      ...target,
      headers: { ...headers, ...framingOf(request, headers), connection: 'close' },
      // Never a pooled connection: each is ended with its request.
      ...(socket === undefined ? { agent: false } : { createConnection: () => socket }),
    });
    sent.on('error', reject);
    const unanswered = () => reject(new Error('the connection ended without an answer'));
    sent.once('close', unanswered);
    sent.once(
      'response',
      guard('proxied answer', reject, (answer: IncomingMessage) => {
        // From now on the body decides: it may still be read when its connection has closed.
        sent?.off('close', unanswered);
        return passBack(answer, response, answerHeaders).then(resolve, reject);
      }),
    );
    response.on('close', resolve);
    request.pipe(sent);
    await promise;
  } finally {
    response.off('close', resolve);
    if (sent !== undefined) request.unpipe(sent);
    sent?.destroy();
    socket?.destroy();
  }
}

/** Node writes the body of a GET without any framing unless a header asks for it: the receiver would take that body for a second request. */
function framingOf(request: HttpRequest, headers: Headers): Headers {
  if (headers['content-length'] !== undefined) return {};
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody =
    'stream' in request ? !request.stream.endAfterHeaders : length !== undefined || encoding !== undefined;
  return hasBody ? { 'transfer-encoding': 'chunked' } : {};
}

function open(options: RequestOptions): ClientRequest {
  // Loaded when it is needed: an engine without such requests stays smaller.
  return process.getBuiltinModule('node:http').request(options);
}

/** Passes the head of an answer on, then its body, no faster than the client takes it. */
async function passBack(
  answer: IncomingMessage,
  response: HttpResponse,
  answerHeaders: NonNullable<Onward['answerHeaders']>,
): Promise<void> {
  const { statusCode = 0 } = answer;
  if (statusCode < 200 || statusCode > 599)
    throw new Error(`the answer has the status ${statusCode}; HTTP knows 200 to 599`);
  response.writeHead(statusCode, answerHeaders(endToEnd(answer.headers)));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  answer.on(
    'data',
    guard('proxied answer', reject, (chunk: Buffer) => {
      if (!response.write(chunk)) answer.pause();
    }),
  );
  const goOn = () => void answer.resume();
  response.on('drain', goOn);
  answer.once('end', resolve);
  answer.once('error', reject);
  answer.once('close', () => reject(new Error('the answer broke off')));
  response.on('close', resolve);
  try {
    await promise;
    if (!isGone(response)) response.end();
  } finally {
    response.off('drain', goOn);
    response.off('close', resolve);
  }
}

/** Ends a request that could not be relayed. An answer that has begun is broken off, because it must not look whole. */
export function refuse(response: HttpResponse, status: number, error: unknown): void {
  if (isGone(response)) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.write(`${messageOf(error)}\n`);
  response.end();
}

/** A client that is refused has this long to read the answer and to leave. */
const REFUSED_MS = 1000;

/**
 * Ends a tunnel that could not be opened, with an answer that its client understands. Discards what the client still sends: unread bytes would
 * keep the connection open after the client has left.
 */
export function refuseTunnel(socket: Duplex, status: string, error: unknown): void {
  if (socket.destroyed) return;
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n${messageOf(error)}\n`);
  socket.resume();
  const timer = setTimeout(
    guard('refused tunnel', undefined, () => socket.destroy()),
    REFUSED_MS,
  );
  socket.once('close', () => clearTimeout(timer));
}
