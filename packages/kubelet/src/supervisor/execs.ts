import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { PassThrough, type Readable } from 'node:stream';
import type { ProcessEnd } from '../sandbox/sandbox.ts';
import { onEndOf } from './on-end-of.ts';

type Output = 'stdout' | 'stderr';

/** The commands that run beside containers' processes, and their streams. */
export class Execs {
  readonly #running = new Map<string, ChildProcess>();
  /** Buffers commands' output until a client reads it, possibly after their end. */
  readonly #said = new Map<string, Readable>();

  get(name: string): ChildProcess | undefined {
    return this.#running.get(name);
  }

  add(name: string, child: ChildProcess, onEnd: (end: ProcessEnd) => void): void {
    this.#running.set(name, child);
    // Output of an ended process that no client has started to read is discarded.
    for (const stream of ['stdout', 'stderr'] as const)
      this.#said.set(`${name} ${stream}`, (child[stream] ?? new PassThrough().end()).pipe(new PassThrough()));
    onEndOf(child, (end) => {
      this.#running.delete(name);
      onEnd(end);
    });
  }

  /** Connects one stream; what the command says before that waits. */
  attach(name: string, stream: 'stdin' | Output, socket: Socket): void {
    if (stream === 'stdin') {
      const stdin = this.#running.get(name)?.stdin;
      if (stdin === undefined || stdin === null) socket.end();
      else socket.pipe(stdin.on('error', () => socket.destroy()));
      return;
    }
    const said = this.#said.get(`${name} ${stream}`);
    this.#said.delete(`${name} ${stream}`);
    if (said === undefined) socket.end();
    else said.pipe(socket);
  }
}
