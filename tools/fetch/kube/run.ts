import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from './cache.ts';

/** How a command ended: its exit code (-1 where a signal ended it or it could not be started) and what it wrote. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and with what environment a command runs; the environment is the whole of it, PATH included. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Environment;
}

const children = new Set<ChildProcess>();

/** Ends every command that is still running; for a program that is told to stop. */
export function killRunning(): void {
  for (const child of children) child.kill('SIGTERM');
}

/** Runs a command to its end and keeps its output; a command that can't be started is an outcome too, with the reason as its stderr. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', (error) => {
      children.delete(child);
      resolve({ code: -1, stdout, stderr: error.message });
    });
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code: code ?? -1, stdout, stderr });
    });
  });
}

/** The last lines of a command's output, for an error message. */
export const lastLines = (text: string, count: number): string => text.trimEnd().split('\n').slice(-count).join('\n');
