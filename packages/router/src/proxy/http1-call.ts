import { guard } from '@manta/base';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { AnswerHead, Call, RawHeaders, Refusal } from './call.ts';
import { endToEnd, headerOf, isEncrypted, joinedHeader, plainAddress } from './headers.ts';
import { readTarget } from './request-target.ts';
import { codingRefusal } from './transfer-coding.ts';

/** A request that came over HTTP/1.1. */
export class Http1Call implements Call {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers: RawHeaders;
  readonly body: IncomingMessage;
  readonly hasBody: boolean;
  readonly isHttp2 = false;
  readonly isSecure: boolean;
  readonly remoteAddress: string;
  readonly refusal: Refusal | undefined;
  readonly #response: ServerResponse;
  readonly #isLast: () => boolean;

  /** `isLast`: close the connection after this response. */
  constructor(request: IncomingMessage, response: ServerResponse, isLast: () => boolean) {
    this.method = request.method ?? 'GET';
    this.headers = request.rawHeaders;
    const { target, host, refusal } = readTarget(this.method, request.url ?? '', this.headers);
    this.target = target;
    this.host = host;
    this.refusal =
      refusal ?? (request.headers['transfer-encoding'] === undefined ? undefined : codingRefusal(this.headers));
    this.body = request;
    this.hasBody = hasBody(request);
    this.remoteAddress = plainAddress(request.socket.remoteAddress);
    this.isSecure = isEncrypted(request.socket);
    this.#response = response;
    this.#isLast = isLast;
  }

  header(name: string): string | undefined {
    return joinedHeader(this.headers, name);
  }

  isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  onGone(run: () => void): void {
    this.#response.once(
      'close',
      guard('router', this.#response, () => {
        if (!this.#response.writableFinished) run();
      }),
    );
    // A socket that breaks while we write; its close follows.
    this.#response.on('error', () => undefined);
  }

  answer({ status, headers, isComplete }: AnswerHead): Writable | undefined {
    // What follows a request that cannot be understood is not a request.
    const all = this.#isLast() || this.refusal !== undefined ? [...headers, 'connection', 'close'] : [...headers];
    const isEmpty = isComplete && this.method !== 'HEAD' && status !== 204 && status !== 304;
    if (isEmpty && headerOf(headers, 'content-length') === undefined) all.push('content-length', '0');
    this.#response.writeHead(status, all);
    if (!isComplete) return this.#response;
    this.#response.end();
    return undefined;
  }

  end(trailers: RawHeaders): void {
    if (trailers.length > 0 && this.#response.chunkedEncoding) this.#response.addTrailers(pairs(endToEnd(trailers)));
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function pairs(headers: RawHeaders): [string, string][] {
  const found: [string, string][] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) found.push([headers[i] ?? '', headers[i + 1] ?? '']);
  return found;
}
