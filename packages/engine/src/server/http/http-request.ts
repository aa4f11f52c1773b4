import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** A request, over either version of HTTP. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** The part of an answer that we use, the same in both versions of HTTP. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableLength: number;
  /** Not of HTTP/2, whose streams know. */
  readonly destroyed?: boolean;
  setHeader(name: string, value: string | readonly string[]): unknown;
  writeHead(code: number, headers: Readonly<Record<string, string>>): unknown;
  write(chunk: string | Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  flushHeaders?(): void;
  on(event: 'close' | 'drain', listener: () => void): unknown;
  off(event: 'close' | 'drain', listener: () => void): unknown;
}

/** One value of a header that may come several times. */
export function header(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Whether the client has left: nothing that is written reaches it, and no event will say so any more. */
export function isGone(response: HttpResponse): boolean {
  if (response instanceof Http2ServerResponse) return response.stream.destroyed;
  return response.destroyed === true;
}

/** Ends a request without an answer: its stream over HTTP/2, else the whole connection. */
export function reset(response: HttpResponse, code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
  if (response instanceof Http2ServerResponse) response.stream.close(code);
  else response.destroy();
}
