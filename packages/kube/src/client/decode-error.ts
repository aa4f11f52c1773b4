import { ApiError, type FailedCall, TransportError } from '../api-error.ts';
import type { Status } from './client.ts';
import { retryAfterMs } from '../transport/retry.ts';

/** An error response with its body. */
export interface Refusal {
  readonly call: FailedCall;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The likely cause of a 401, if known. */
  readonly explainUnauthorized?: string | undefined;
  readonly now: number;
}

/** Converts an error response to the error that callers get. */
export function decodeError(refusal: Refusal): ApiError {
  const { call, code, headers, now } = refusal;
  const status = statusIn(refusal.text);
  return new ApiError(call, code, messageOf(refusal, status), status, retryAfterMs(headers, now));
}

/** The error that an ERROR event of a watch stands for. */
export function errorOfEvent(call: FailedCall, object: unknown): Error {
  if (!isStatus(object)) return new TransportError('The server sent a watch error that it does not explain', { call });
  return new ApiError(call, object.code || 500, oneLine(object.message ?? object.reason ?? 'watch failed'), object);
}

/** The error for a successful response with unusable content, e.g. the login page of a proxy. */
export function wrongContent(call: FailedCall, contentType: string | undefined, text: string): TransportError {
  const what = `${contentType ?? 'no content type'}: ${excerpt(text)}`;
  return new TransportError(
    `The answer to ${call.method} ${call.path} is not JSON (${what}): check that the address is that of an API server`,
    { call },
  );
}

function messageOf({ call, code, text, explainUnauthorized }: Refusal, status: Status | undefined): string {
  const name = `${call.method} ${call.path}`;
  if (code === 401) {
    const why = explainUnauthorized ?? 'log in again, or check the token or certificate in the kubeconfig';
    return `The API server does not accept our credentials (${name}): ${why}`;
  }
  if (status?.message) return oneLine(status.message);
  if (code === 404)
    return `The API server does not know ${call.path}: the kind may not be installed, or not in this version`;
  const said = excerpt(status?.reason ?? text);
  return `The API server answered ${code} to ${name}${said === '' ? '' : `: ${said}`}`;
}

function statusIn(text: string): Status | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}

function excerpt(text: string): string {
  const line = oneLine(text);
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim();
}
