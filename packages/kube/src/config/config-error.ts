import { messageOf } from '@manta/base';
/** Something in a kubeconfig, the environment or an exec plugin is wrong. `message` is one line: where, what, and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The file or variable that holds the mistake. */
  readonly file: string | undefined;
  /** The field in it, e.g. `user "dev".client-key-data`. */
  readonly field: string | undefined;

  constructor(message: string, details: { file?: string; field?: string; cause?: unknown } = {}) {
    super(message, { cause: details.cause });
    this.file = details.file;
    this.field = details.field;
  }
}

/** What the operating system said, in plain words. */
export function fileProblem(error: unknown): string {
  return FILE_PROBLEMS[errorCode(error) ?? ''] ?? `cannot be read (${errorMessage(error)})`;
}

/** The errno name (`ENOENT`) where there is one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The first line of an error's message. */
export function errorMessage(error: unknown): string {
  const text = messageOf(error);
  return text.split('\n', 1)[0] ?? text;
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a directory, not a file',
  ENOTDIR: 'does not exist (a part of its path is a file)',
};
