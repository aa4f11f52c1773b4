import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { ProcessEnd } from '../sandbox/sandbox.ts';
import { onEndOf } from './on-end-of.ts';

/** The commands that run beside containers' processes, and their streams. */
export class Execs {
  readonly #running = new Map<string, ChildProcess>();

  get(name: string): ChildProcess | undefined {
    return this.#running.get(name);
  }

  add(name: string, child: ChildProcess, onEnd: (end: ProcessEnd) => void): void {
    this.#running.set(name, child);
    onEndOf(child, (end) => {
      this.#running.delete(name);
      onEnd(end);
    });
  }

  /** Connects one stream; what the command says before that waits. */
  attach(name: string, stream: 'stdin' | 'stdout' | 'stderr', socket: Socket): void {
    const child = this.#running.get(name);
    if (child === undefined) {
      socket.end();
      return;
    }
    if (stream === 'stdin') {
      if (child.stdin !== null) socket.pipe(child.stdin.on('error', () => socket.destroy()));
    } else child[stream]?.pipe(socket);
  }
}
