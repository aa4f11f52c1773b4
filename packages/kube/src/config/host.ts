import { guard } from '@manta/base';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter } from 'node:path';
import { isatty } from 'node:tty';
import { type Clock, systemClock } from '../clock.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** A program to run to its end. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Env;
  /** Hands our standard input to the program. */
  readonly isInteractive: boolean;
  /** Kills the program after this long; the result then says so. */
  readonly timeoutMs?: number | undefined;
}

export interface CommandResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  /** The end of what it wrote to standard error. */
  readonly stderrTail: string;
  readonly hasTimedOut: boolean;
}

/** What configuration needs of the machine; passed in, so that nothing here reaches for global state. */
export interface Host {
  readonly env: Env;
  readonly homeDir: string;
  /** Between the files of KUBECONFIG: `:`, or `;` on Windows. */
  readonly pathListSeparator: string;
  readonly isStdinTerminal: boolean;
  readonly clock: Clock;
  /** Reads UTF-8; rejects with the system's error (`code` is `ENOENT` …). */
  readFile(path: string): Promise<string>;
  /** Rejects only when the program could not be started. */
  run(command: Command): Promise<CommandResult>;
}

/** This machine. */
export function systemHost(): Host {
  return {
    env: process.env,
    homeDir: process.env['HOME'] ?? homedir(),
    pathListSeparator: delimiter,
    isStdinTerminal: isatty(0),
    clock: systemClock,
    readFile: (path) => readFile(path, 'utf8'),
    run: runCommand,
  };
}

const STDERR_TAIL_CHARS = 4096;

/** Standard error is shown as it comes (a login plugin prints its address there) and its end is kept for the error message. */
function runCommand(command: Command): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, command.args, {
      env: { ...command.env },
      stdio: [command.isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
      // Its own process group, so that a timeout ends its children too; one that asks must stay on our terminal.
      detached: !command.isInteractive,
    });
    let stdout = '';
    let stderrTail = '';
    let hasTimedOut = false;
    const timer =
      command.timeoutMs === undefined
        ? undefined
        : setTimeout(guard('connection to the API server', undefined, onTimeout), command.timeoutMs);
    function onTimeout(): void {
      hasTimedOut = true;
      killGroup(child);
    }
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on(
      'data',
      guard('connection to the API server', child.stderr, (chunk: string) => {
        process.stderr.write(chunk);
        stderrTail = (stderrTail + chunk).slice(-STDERR_TAIL_CHARS);
      }),
    );
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode: exitCode ?? undefined, stdout, stderrTail, hasTimedOut });
    });
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
  // A process that left the group may hold the pipes open, and the `close` event would wait for it.
  child.stdout?.destroy();
  child.stderr?.destroy();
}
