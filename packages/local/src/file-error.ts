import { messageOf, ownValue } from '@manta/base';
/** Whether a file operation failed because there is no such file. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** The error's code, such as `EACCES`; empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Why a file operation failed, in words. */
export function reasonOf(error: unknown): string {
  return ownValue(REASONS, codeOf(error)) ?? messageOf(error);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EEXIST: 'there is a file of that name',
  ENOENT: 'it is not there and cannot be made',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EISDIR: 'it is a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};
