import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a program ended and what it said; -1 is one that could not be started or was killed. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env: Environment;
  /** Ends the program and all that it has started. */
  readonly signal?: AbortSignal | undefined;
  /** Told what it says on stdout, as it comes. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

// The shell leaves a guard behind and becomes the program. The guard reads from a pipe whose other end only this process has: a line means
// that the program has ended, the pipe's end that this process is gone, however it died. Then the program must not go on, nor what it has
// started: all of it is one process group. What asks the group to end does not end the guard: it is there before the program is.
const GUARDED = `
program=$$
guarded=$( ( trap '' TERM; exec >/dev/null; read -r word <&3 || kill -s KILL -- "-$program" ) </dev/null 2>/dev/null & )
exec "$@" 3<&-`;

/** Runs a program to its end; it does not outlive this process. Never rejects. */
export function runProgram(command: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  const { env, signal, onOutput } = options;
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', GUARDED, 'sh', command, ...args], {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const stop = () => endGroup(child.pid);
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      onOutput?.(text);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('exit', () => dismiss(child.stdio[3]));
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: -1, stdout, stderr: error.message });
    });
    // One that was told to end is waited for.
    child.once('close', (code) => {
      signal?.removeEventListener('abort', stop);
      resolve({ code: code ?? -1, stdout, stderr });
    });
  });
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGTERM');
  } catch {
    // All of it has ended.
  }
}

function dismiss(guard: unknown): void {
  if (!(guard instanceof Writable)) return;
  guard.on('error', () => undefined);
  guard.end('ended\n');
}
