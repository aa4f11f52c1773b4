import { guard } from '@manta/base';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onLines } from '../supervisor/connection.ts';
import type { Answer, Call, Request } from '../supervisor/protocol.ts';
import type { ProcessEnd } from './sandbox.ts';

const OPEN_ATTEMPTS = 400;
const OPEN_PAUSE_MS = 25;

/** The control connection to the supervisor: calls, and news of processes that ended. */
export class SupervisorConnection {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #ends = new Map<string, (end: ProcessEnd) => void>();
  #ids = 0;
  #isOver = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    onLines(socket, (line) => this.#hear(JSON.parse(line)));
    socket.on('error', () => socket.destroy());
    socket.once(
      'close',
      guard('sandbox', socket, () => this.#over()),
    );
  }

  /** Connects as soon as the supervisor listens; rejects with the supervisor's last words when it ends before. */
  static async open(path: string, failed: Promise<never>): Promise<SupervisorConnection> {
    for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt++) {
      const socket = await Promise.race([tryOpen(path), failed]);
      if (socket !== undefined) {
        socket.write('{"type":"control"}\n');
        return new SupervisorConnection(socket);
      }
      await Promise.race([sleep(OPEN_PAUSE_MS), failed]);
    }
    throw new Error('the pod supervisor did not start to listen');
  }

  /** Called when the supervisor has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  call(call: Call): Promise<void> {
    if (this.#isOver) return Promise.reject(new Error('the pod supervisor has ended'));
    this.#ids += 1;
    const request: Request = { id: this.#ids, call };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#socket.write(`${JSON.stringify(request)}\n`);
    });
  }

  /** Settles when that process has ended; ask before it is started. */
  endOf(process: string): Promise<ProcessEnd> {
    return new Promise((resolve) => {
      if (this.#isOver) resolve(LOST);
      else this.#ends.set(process, resolve);
    });
  }

  /** The supervisor ends with it. */
  close(): void {
    this.#socket.end();
  }

  #hear(answer: Answer): void {
    if (answer.type === 'ended') {
      const { process, code, signal } = answer;
      this.#ends.get(process)?.(signal === undefined ? { code } : { code, signal });
      this.#ends.delete(process);
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.type === 'done') waiting?.resolve();
    else waiting?.reject(new Error(answer.message));
  }

  #over(): void {
    this.#isOver = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('the pod supervisor has ended'));
    for (const resolve of this.#ends.values()) resolve(LOST);
    this.#waiting.clear();
    this.#ends.clear();
  }
}

/** The exit of a process whose supervisor has ended: the kernel killed it. */
const LOST: ProcessEnd = { code: 137, signal: 'SIGKILL' };

function tryOpen(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket.off('error', ignore)));
    socket.once('error', ignore);
    function ignore(): void {
      resolve(undefined);
    }
  });
}
