import { ApiError, type FailedCall } from '../api-error.ts';
import type { Status } from '../client/client.ts';

/** The error for an answer that is not a success; `body` is what the server sent, a Status or any text. */
export function failedResponse(call: FailedCall, code: number, body: string): ApiError {
  const status = parseStatus(body);
  const text = status?.message ?? body.trim().split('\n', 1)[0] ?? '';
  return new ApiError(
    call,
    code,
    text === '' ? `${call.method} ${call.path} was answered with HTTP ${code}` : text,
    status,
  );
}

/** A `Status` object in JSON, or undefined for anything else. On the error channel of a stream it comes without its `kind`. */
export function parseStatus(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStatus(value: unknown): value is Status {
  if (typeof value !== 'object' || value === null) return false;
  if ('kind' in value) return value.kind === 'Status';
  return 'status' in value && (value.status === 'Success' || value.status === 'Failure');
}
