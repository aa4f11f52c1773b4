import type { Readable, Writable } from 'node:stream';
import { type Clock, type Env, systemClock } from '@manta/kube';

/** What a command needs of the machine; tests pass their own. */
export interface CliWorld {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Env;
  readonly homeDir: string;
  readonly clock: Clock;
  /** Aborted by Ctrl-C: commands that wait or forward stop in order. */
  readonly signal: AbortSignal;
  readonly version: string;
}

/** This process. */
export function systemWorld(version: string, signal: AbortSignal, homeDir: string): CliWorld {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, homeDir, clock: systemClock, signal, version };
}
