import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@manta/base';
import { systemClock } from '@manta/kube';
import { createRotatingFile, redirectStderrSinks } from '@manta/runtime';

/** The log of `manta up`: a file, so that the terminal shows only what its user has to read. */
export interface EngineLog {
  /** Undefined if no file could be opened; then everything is on standard error. */
  readonly file: string | undefined;
  /** Shows one line to the user, and logs it. */
  warn(where: string, line: string): void;
  /** Shows the error's message to the user, and logs its stack. */
  error(where: string, error: unknown): void;
}

const LIMITS = { maxBytes: 20 * 2 ** 20, maxBackups: 3 };

/** Sends the logs of the operator, the router and the console to `manta.log` in the data directory. Older lines are kept up to 80 MiB. */
export function openEngineLog(dataDir: string): EngineLog {
  const show = (line: string) => void process.stderr.write(`manta: ${line}\n`);
  const file = redirect(join(dataDir, 'manta.log'), show);
  const log = (level: string, text: string) => {
    if (file !== undefined) append(file, `${new Date().toISOString()}\t${level}\t${text}\n`);
  };
  return {
    file,
    warn(where, line) {
      show(`${where}: ${line}`);
      log('WARN', `${where}: ${line}`);
    },
    error(where, error) {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      show(`${where}: ${file === undefined ? stack : messageOf(error)}`);
      log('ERROR', `${where}: ${stack}`);
    },
  };
}

function redirect(path: string, show: (line: string) => void): string | undefined {
  try {
    redirectStderrSinks(createRotatingFile({ path, clock: systemClock, ...LIMITS }));
    return path;
  } catch (error) {
    show(`${messageOf(error)}; the log is written here instead`);
    return undefined;
  }
}

/** A full disk must not end the engine. */
function append(file: string, text: string): void {
  try {
    appendFileSync(file, text);
  } catch {
    // The user has seen the message.
  }
}
