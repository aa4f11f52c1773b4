import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { FaultyWire } from './faulty-wire.ts';

/** What a server does with one request. */
export type FaultStep = (exchange: ServerExchange) => void;

/** Sessions that said goodbye, with the last stream that they still serve. */
const lastServed = new WeakMap<object, number>();

interface Outgoing {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  flushHeaders?(): void;
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string | Uint8Array): unknown;
  once(event: 'drain' | 'close', callback: () => void): unknown;
}

/** The server's end of one request: everything it can do right, and wrong. */
export class ServerExchange {
  readonly #request: Http2ServerRequest | IncomingMessage;
  readonly #response: Http2ServerResponse | ServerResponse;
  /** The same response, as both protocols have it. */
  readonly #out: Outgoing;
  readonly #wire: FaultyWire;

  constructor(
    request: Http2ServerRequest | IncomingMessage,
    response: Http2ServerResponse | ServerResponse,
    wire: FaultyWire,
  ) {
    this.#request = request;
    this.#response = response;
    this.#out = response;
    this.#wire = wire;
  }

  get path(): string {
    return this.#request.url ?? '';
  }

  get headers(): Readonly<Record<string, unknown>> {
    return this.#request.headers;
  }

  /** Whether a GOAWAY excluded this stream. */
  get isIgnored(): boolean {
    const stream = this.#stream;
    const session = stream?.session;
    return stream?.id !== undefined && session !== undefined && stream.id > (lastServed.get(session) ?? Infinity);
  }

  json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.begin(status, { 'content-type': 'application/json', ...headers });
    this.end(JSON.stringify(body));
  }

  begin(status: number, headers: Readonly<Record<string, string>> = {}): void {
    this.#out.writeHead(status, headers);
    this.#out.flushHeaders?.();
  }

  /** False when the client has to be waited for. */
  write(chunk: string | Uint8Array): boolean {
    return this.#out.write(chunk);
  }

  end(chunk?: string | Uint8Array): void {
    this.#out.end(chunk);
  }

  whenDrained(callback: () => void): void {
    this.#out.once('drain', callback);
  }

  /** Calls back when the client has cancelled or everything was sent. */
  whenClosed(callback: () => void): void {
    this.#out.once('close', callback);
  }

  /** HTTP/2: RST_STREAM with this code. */
  reset(code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
    this.#stream?.close(code);
  }

  /** HTTP/2: says goodbye; of the streams that are open, this one and older ones are still served. */
  goaway(code: number = constants.NGHTTP2_NO_ERROR): void {
    const stream = this.#stream;
    if (stream?.id === undefined || stream.session === undefined) return;
    lastServed.set(stream.session, stream.id);
    stream.session.goaway(code, stream.id);
  }

  /** Ends the connection as a crash would. */
  cut(): void {
    this.#wire.cut();
  }

  get #stream() {
    return this.#response instanceof Http2ServerResponse ? this.#response.stream : undefined;
  }
}

/** A well-behaved JSON answer. */
export const answer =
  (status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): FaultStep =>
  (exchange) =>
    exchange.json(status, body, headers);

/** The connection breaks before a byte of the answer. */
export const dropBeforeAnswer: FaultStep = (exchange) => exchange.cut();

/** Half of the body, then a reset of the stream (HTTP/2) or of the connection. */
export const truncatedBody =
  (by: 'reset' | 'cut'): FaultStep =>
  (exchange) => {
    exchange.begin(200, { 'content-type': 'application/json' });
    exchange.write('{"kind":"Po');
    setTimeout(() => (by === 'reset' ? exchange.reset() : exchange.cut()), 20);
  };

/** Never responds. */
export const hang: FaultStep = () => undefined;

/** Refuses the stream before looking at it. */
export const refuseStream: FaultStep = (exchange) => exchange.reset(constants.NGHTTP2_REFUSED_STREAM);

/** A Kubernetes Status, as the API server sends it. */
export function failureStatus(code: number, reason: string, message: string, details: object = {}): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code };
}
