import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = resolve(import.meta.dirname, '..');

/** A measured program in a process of its own, so that nobody else's memory and CPU are counted. */
export interface Child<Message> {
  readonly process: ChildProcess;
  /** The first JSON line that it prints. */
  readonly first: Promise<Message>;
  stop(): Promise<void>;
}

/** Starts `bench/<program>` on this Node. Programs talk in JSON lines on stdout. */
export function startChild<Message>(
  program: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): Child<Message> {
  const flags = ['--disable-warning=ExperimentalWarning', ...nodeFlags, resolve(ROOT, program)];
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const first = new Promise<Message>((done, fail) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) done(JSON.parse(line));
    });
    child.once('error', fail);
    child.once('exit', (code) => fail(new Error(`${program} ended with status ${code} before it had a result`)));
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    process: child,
    first,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs a program to its result. */
export async function runChild<Message>(
  program: string,
  args: readonly string[],
  nodeFlags?: readonly string[],
): Promise<Message> {
  const child = startChild<Message>(program, args, nodeFlags);
  const result = await child.first;
  await child.stop();
  return result;
}
