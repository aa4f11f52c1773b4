import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { Execs } from '../supervisor/execs.ts';
import { onEndOf } from '../supervisor/on-end-of.ts';
import type { CallOf } from '../supervisor/protocol.ts';
import type { ProcessEnd } from '../sandbox/sandbox.ts';
import { endMarked, MARK_VARIABLE } from './marked-processes.ts';

interface Running {
  readonly child: ChildProcess;
  readonly env: Readonly<Record<string, string>>;
  readonly script: string;
}

/** Processes of pods without namespaces. A mark in the environment identifies the pod of each process. */
export class PlainSandboxes {
  onEnd: (process: string, end: ProcessEnd) => void = () => undefined;
  readonly #mark: string;
  readonly #processes = new Map<string, Running>();
  readonly #execs = new Execs();

  private constructor(mark: string) {
    this.#mark = mark;
  }

  /** What one before it left behind, because it was killed, ends first. */
  static async open(mark: string): Promise<PlainSandboxes> {
    await endMarked(`${mark}:`);
    return new PlainSandboxes(mark);
  }

  create(): Promise<void> {
    return Promise.resolve();
  }

  start({ process, script, command, env, output }: CallOf<'start'>): void {
    const file = openSync(output, 'a');
    const marked = { ...env, [MARK_VARIABLE]: `${this.#mark}:${process}` };
    // A separate session: signals to its process group or terminal do not affect other processes.
    let child: ChildProcess;
    try {
      child = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
        env: marked,
        stdio: ['ignore', file, file],
        detached: true,
      });
    } finally {
      // Also when the variables cannot be passed on: this process serves all pods and must not lose descriptors.
      closeSync(file);
    }
    this.#processes.set(process, { child, env: marked, script });
    onEndOf(child, (end) => {
      this.#processes.delete(process);
      // A container ends with its first process, which began its session.
      void endMarked(`${this.#mark}:${process}`, pidOf(child)).then(() => this.onEnd(process, end));
    });
  }

  exec({ process, exec, command, env }: CallOf<'exec'>): void {
    const running = this.#processes.get(process);
    if (running === undefined) throw new Error('the container is not running');
    const child = spawn('/bin/sh', ['-c', running.script, 'sh', ...command], {
      env: { ...running.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#execs.add(exec, child, (end) => this.onEnd(exec, end));
  }

  attach(exec: string, stream: 'stdin' | 'stdout' | 'stderr', socket: Socket): void {
    this.#execs.attach(exec, stream, socket);
  }

  signal(process: string, signal: NodeJS.Signals): void {
    const exec = this.#execs.get(process);
    // Signals all processes of a command, but only the first process of a container.
    if (exec?.pid !== undefined) globalThis.process.kill(-exec.pid, signal);
    else this.#processes.get(process)?.child.kill(signal);
  }

  async destroy(sandbox: string): Promise<void> {
    await this.#end(`${sandbox}/`);
  }

  async close(): Promise<void> {
    await this.#end('');
  }

  /** Also what has no mark any more, because its first process threw the environment away. */
  async #end(prefix: string): Promise<void> {
    const sessions = [...this.#processes].flatMap(([name, { child }]) => (name.startsWith(prefix) ? pidOf(child) : []));
    await endMarked(`${this.#mark}:${prefix}`, sessions);
  }
}

function pidOf({ pid }: ChildProcess): readonly number[] {
  return pid === undefined ? [] : [pid];
}
