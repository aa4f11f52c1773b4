import { ApiError, ConfigError, isForbidden, isUnauthorized, TransportError } from '@manta/kube';
import { RayCallError } from '@manta/ray';
import { CommanderError } from 'commander';

/** Exit codes that scripts may rely on. */
export const ExitCode = { Ok: 0, Failed: 1, Usage: 2, NotReady: 3, NotAllowed: 4 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** A failure that the user reads as one line; `exitCode` tells scripts what kind of failure it is. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = ExitCode.Failed, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The command has printed its answer; scripts read the exit code. Nothing more is printed. */
export class Finished extends Error {
  override readonly name = 'Finished';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super(`finished with exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** The command was called in a way that cannot work: a wrong flag, argument or file. */
export function usageError(message: string, cause?: unknown): CliError {
  return new CliError(message, ExitCode.Usage, { cause });
}

/** Puts what the command was doing before an error's own words; the exit code is that of the cause. */
export function failedTo(doing: string, cause: unknown): CliError {
  return new CliError(`${doing}: ${messageOf(cause)}`, exitCodeOf(cause), { cause });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.Ok : ExitCode.Usage;
  if (isForbidden(error) || isUnauthorized(error)) return ExitCode.NotAllowed;
  if (error instanceof ConfigError) return ExitCode.Usage;
  return ExitCode.Failed;
}

/** Whether the failure is one that users may meet; anything else is a defect of ours and keeps its stack. */
export function isExpected(error: unknown): boolean {
  return (
    error instanceof CliError ||
    error instanceof ApiError ||
    error instanceof TransportError ||
    error instanceof ConfigError ||
    error instanceof RayCallError ||
    // A file or socket of this machine: EACCES, ENOSPC, EADDRNOTAVAIL, …
    (error instanceof Error && 'syscall' in error)
  );
}
