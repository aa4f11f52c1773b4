import type { ProcessEnd } from '../sandbox/sandbox.ts';

/** How a command or an attached container ended, as the Status that clients read from the error stream. */
export interface CommandStatus {
  readonly metadata: Record<string, never>;
  readonly status: 'Success' | 'Failure';
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: { readonly causes: readonly { readonly reason: string; readonly message: string }[] };
}

export const SUCCESS: CommandStatus = { metadata: {}, status: 'Success' };

/** The Status of a command that has run to its end. */
export function statusOf({ code }: ProcessEnd): CommandStatus {
  if (code === 0) return SUCCESS;
  return {
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** The Status of a command that could not be run. */
export function failureOf(message: string): CommandStatus {
  return { metadata: {}, status: 'Failure', reason: 'InternalError', message, code: 500 };
}
