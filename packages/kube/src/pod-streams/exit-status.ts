import { ApiError, type FailedCall } from '../api-error.ts';
import { parseStatus } from './failed-response.ts';

/** How a command in a container ended. */
export interface ExitStatus {
  /** 0 for success. */
  readonly code: number;
}

/**
 * Reads the Status that ends an exec or attach. A command that ran and failed is a result; one that could not be run (no such
 * container, no such program) is thrown as an `ApiError`.
 */
export function decodeExitStatus(call: FailedCall, text: string): ExitStatus {
  const status = parseStatus(text);
  if (status === undefined) throw new ApiError(call, 500, text.trim() || 'the command ended without a status');
  if (status.status === 'Success') return { code: 0 };
  if (status.reason === 'NonZeroExitCode') {
    const cause = status.details?.causes?.find((one) => one.reason === 'ExitCode');
    const code = Number(cause?.message);
    if (Number.isInteger(code) && code > 0) return { code };
  }
  throw new ApiError(call, status.code ?? 500, status.message ?? 'the command could not be run', status);
}
