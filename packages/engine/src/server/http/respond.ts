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
}

/** Writes an object as JSON or YAML. */
export function respond(response: HttpResponse, { code, body, format = 'json', contentType, headers }: Answer): void {
  const text = format === 'yaml' ? stringify(body) : `${JSON.stringify(body)}\n`;
  const type = contentType ?? (format === 'yaml' ? 'application/yaml' : 'application/json');
  respondText(response, code, text, type, headers);
}

/** Writes a text. */
export function respondText(
  response: HttpResponse,
  code: number,
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.writableEnded) return;
  const length = String(Buffer.byteLength(text));
  response.writeHead(code, { 'content-type': contentType, 'content-length': length, ...headers });
  response.write(text);
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
