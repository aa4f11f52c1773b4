import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Tells a process from a later one with the same id: the moment at which it started. Undefined where there is no such process, or one
 * that has ended and only waits for its parent to notice.
 */
export function processMark(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxMark(pid) : psMark(pid);
}

function linuxMark(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name comes second, in parentheses, and may hold anything; the state is the third field, the start the 22nd.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : fields[18];
  } catch {
    return undefined;
  }
}

function psMark(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
