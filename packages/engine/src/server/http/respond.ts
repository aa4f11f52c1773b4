import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { StatusError } from '../../status-error.ts';
import { failureStatus } from '../status.ts';
import type { HttpResponse } from './http-request.ts';

/** An answer that is complete. */
export interface Answer {
  readonly code: number;
  readonly body: unknown;
  readonly format?: 'json' | 'yaml';
  /** What the Content-Type says, where it is not the plain format. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isPretty?: boolean;
  /** The client reads gzip. */
  readonly isCompressible?: boolean;
}

/** Answers of at least this size are compressed for clients that can read it. */
const COMPRESS_BYTES = 128 * 1024;

/** Writes an object as JSON or YAML. */
export function respond(response: HttpResponse, answer: Answer): void {
  const { code, body, format = 'json', contentType, headers } = answer;
  const text =
    format === 'yaml' ? stringify(body) : `${JSON.stringify(body, undefined, answer.isPretty === true ? 2 : 0)}\n`;
  const type = contentType ?? (format === 'yaml' ? 'application/yaml' : 'application/json');
  if (answer.isCompressible === true && text.length >= COMPRESS_BYTES) {
    const bytes = gzipSync(text, { level: 1 });
    const coding = { 'content-encoding': 'gzip', vary: 'Accept-Encoding', ...headers };
    respondBytes(response, code, bytes, type, coding);
  } else respondText(response, code, text, type, headers);
}

/** Writes a text. */
export function respondText(
  response: HttpResponse,
  code: number,
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  respondBytes(response, code, Buffer.from(text), contentType, headers);
}

function respondBytes(
  response: HttpResponse,
  code: number,
  bytes: Uint8Array,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.writableEnded) return;
  response.writeHead(code, { 'content-type': contentType, 'content-length': String(bytes.length), ...headers });
  if (bytes.length > 0) response.write(bytes);
  response.end();
}

/** Writes a refusal; anything that is not one is a fault of ours and says no more than that. */
export function respondError(response: HttpResponse, error: unknown): void {
  const refusal =
    error instanceof StatusError
      ? error
      : new StatusError(500, 'InternalError', 'Internal error occurred: the engine failed');
  const seconds = refusal.details?.retryAfterSeconds;
  const headers: Record<string, string> = {};
  if (seconds !== undefined && seconds > 0) headers['retry-after'] = String(seconds);

  respond(response, { code: refusal.code, body: failureStatus(refusal), headers });
}
