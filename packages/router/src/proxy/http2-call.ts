import { guard } from '@manta/base';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Writable } from 'node:stream';
import type { AnswerHead, Call, RawHeaders, Refusal } from './call.ts';
import { endToEnd, headerOf, joinCookies, joinedHeader, plainAddress, toFields } from './headers.ts';
import { readPseudoHeaders } from './request-target.ts';

/** A request that came over HTTP/2. */
export class Http2Call implements Call {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers: RawHeaders;
  readonly body: ServerHttp2Stream;
  readonly hasBody: boolean;
  readonly isHttp2 = true;
  readonly isSecure: boolean;
  readonly remoteAddress: string;
  readonly refusal: Refusal | undefined;
  readonly #stream: ServerHttp2Stream;
  #trailers: RawHeaders = [];

  constructor(stream: ServerHttp2Stream, headers: RawHeaders) {
    this.method = headerOf(headers, ':method') ?? 'GET';
    const { target, host, refusal } = readPseudoHeaders(this.method, headers);
    this.target = target;
    this.host = host;
    this.refusal = refusal;
    this.headers = joinCookies(headers);
    this.body = stream;
    this.hasBody = !stream.endAfterHeaders;
    this.remoteAddress = plainAddress(stream.session?.socket.remoteAddress);
    this.isSecure = stream.session?.encrypted === true;
    this.#stream = stream;
    // A client that resets the stream is no error of ours; its close follows.
    stream.on('error', () => undefined);
  }

  header(name: string): string | undefined {
    return joinedHeader(this.headers, name);
  }

  isOver(): boolean {
    return this.#stream.writableEnded || this.#stream.closed || this.#stream.destroyed;
  }

  onGone(run: () => void): void {
    // Reset without an error it never closes while it is not answered.
    this.#stream.once('aborted', guard('router', this.#stream, run));
    this.#stream.once(
      'close',
      guard('router', this.#stream, () => {
        if (!this.#stream.writableFinished || this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR) run();
      }),
    );
  }

  answer({ status, headers, isComplete }: AnswerHead): Writable | undefined {
    if (this.#stream.closed || this.#stream.destroyed) return undefined;
    const fields = { ':status': status, ...toFields(headers) };
    if (isComplete) {
      this.#stream.respond(fields, { endStream: true });
      return undefined;
    }
    this.#stream.respond(fields, { waitForTrailers: true });
    this.#stream.once(
      'wantTrailers',
      guard('router', this.#stream, () => this.#stream.sendTrailers(toFields(this.#trailers))),
    );
    return this.#stream;
  }

  end(trailers: RawHeaders): void {
    this.#trailers = endToEnd(trailers);
    this.#stream.end();
    // An unwanted body must be drained, so that the client's flow control window does not block.
    this.#stream.resume();
  }

  cut(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}
