import { ownValue } from '@manta/base';
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
  writeHead(code: number, headers: Readonly<Record<string, string | string[]>>): unknown;
  write(chunk: string | Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  flushHeaders?(): void;
  on(event: 'close' | 'drain', listener: () => void): unknown;
  off(event: 'close' | 'drain', listener: () => void): unknown;
}

/** One value of a header that may come several times. */
export function header(request: HttpRequest, name: string): string | undefined {
  const value = ownValue(request.headers, name);
  return Array.isArray(value) ? value[0] : value;
}

/** The headers as the client sent them, one entry for each line; names in lower case. */
export function rawHeaders({ rawHeaders: flat }: HttpRequest): readonly (readonly [name: string, value: string])[] {
  const lines: (readonly [string, string])[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) lines.push([(flat[i] ?? '').toLowerCase(), flat[i + 1] ?? '']);
  return lines;
}

/** Every value of a header. Node joins repeated lines by commas, which may be part of a value: these are apart. */
export function headerValues(request: HttpRequest, name: string): readonly string[] {
  if (ownValue(request.headers, name) === undefined) return [];
  return rawHeaders(request).flatMap(([key, value]) => (key === name ? [value] : []));
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
