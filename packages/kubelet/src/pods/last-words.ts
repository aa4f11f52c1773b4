import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** As much as a kubelet takes of a message, and of a log in its stead. */
const MESSAGE_BYTES = 4096;
const LOG_BYTES = 2048;
const LOG_LINES = 80;

/** Where a container's last words may be. */
export interface LastWords {
  /** The file that stands for its `terminationMessagePath`. */
  readonly message: string;
  readonly output: string;
  /** Whether its output does where a run that failed has left no message. */
  readonly isOutputEnough: boolean;
}

/** What a container has left as its message; undefined where it has left none. */
export function lastWords({ message, output, isOutputEnough }: LastWords, code: number): string | undefined {
  const written = lastOf(message, MESSAGE_BYTES);
  if (written !== '') return written;
  if (code === 0 || !isOutputEnough) return undefined;
  const said = lastOf(output, LOG_BYTES);
  return said === '' ? undefined : lastLines(said);
}

function lastLines(text: string): string {
  const lines = text.split('\n');
  // What ends with a line's end has nothing behind it.
  return lines.slice(-(lines.at(-1) === '' ? LOG_LINES + 1 : LOG_LINES)).join('\n');
}

/** The last bytes of a file; empty if it no longer exists. */
function lastOf(path: string, bytes: number): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const buffer = Buffer.alloc(Math.min(size, bytes));
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, size - buffer.length));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
