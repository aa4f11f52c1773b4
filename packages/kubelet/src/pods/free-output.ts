import { execFile } from 'node:child_process';
import { truncate } from 'node:fs';

/**
 * Gives a part of a file back to the disk while a process goes on to append to it. Offsets in the file stay what they were: the part becomes a
 * hole. Where the file system has no holes, the whole file is emptied.
 */
export function freeOutput(path: string, from: number, to: number): void {
  const args = ['--punch-hole', '--offset', String(from), '--length', String(to - from), path];
  execFile('fallocate', args, (error) => {
    if (error !== null) truncate(path, 0, () => undefined);
  });
}
