import { write, writeSync } from 'node:fs';
import type { Clock } from '@manta/kube';

/** Where log lines go. Writing returns at once whatever the reader at the other end does. */
export interface LogSink {
  /** `line` ends with a newline. */
  write(line: string): void;
  /** Resolves when everything written so far has left, or could not. */
  flush(): Promise<void>;
  /** For the last moments of a process: writes what has not been handed to the system yet, waiting at most a second. */
  flushSync(): void;
  /** How many lines were lost since the last call, because the reader was too slow or writing failed. */
  takeDropped(): number;
}

/** Picks the file for the next write; a file that rotates switches here. */
export interface WriteTarget {
  fdFor(bytes: number): number;
}

/** What may wait for a stalled reader before lines are dropped. */
const MAX_WAITING_CHARS = 4 * 1024 * 1024;
const RETRY_MS = 20;
const FLUSH_SYNC_MS = 1000;

/** Writes on the thread pool, one write at a time, so that a full pipe or a slow disk never stops the event loop. */
export class BackgroundWriter implements LogSink {
  readonly #target: WriteTarget;
  readonly #clock: Clock;
  #waiting: string[] = [];
  #waitingChars = 0;
  #isBusy = false;
  #dropped = 0;
  #onIdle: (() => void)[] = [];

  constructor(target: WriteTarget, clock: Clock) {
    this.#target = target;
    this.#clock = clock;
  }

  write(line: string): void {
    if (this.#waitingChars + line.length > MAX_WAITING_CHARS) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    if (this.#isBusy) return;
    this.#isBusy = true;
    queueMicrotask(() => this.#next());
  }

  flush(): Promise<void> {
    if (!this.#isBusy) return Promise.resolve();
    return new Promise((resolve) => void this.#onIdle.push(resolve));
  }

  flushSync(): void {
    const lines = this.#take();
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.join(''));
    const until = Date.now() + FLUSH_SYNC_MS;
    for (let sent = 0; sent < bytes.length; ) {
      try {
        sent += writeSync(this.#target.fdFor(bytes.length - sent), bytes, sent);
      } catch (error) {
        if (!isAgain(error) || Date.now() > until) return;
      }
    }
  }

  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #take(): readonly string[] {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    return lines;
  }

  #next(): void {
    const lines = this.#take();
    if (lines.length > 0) {
      this.#send(Buffer.from(lines.join('')), lines.length);
      return;
    }
    this.#isBusy = false;
    const waiters = this.#onIdle;
    this.#onIdle = [];
    for (const resolve of waiters) resolve();
  }

  #send(bytes: Buffer, lines: number): void {
    let fd: number;
    try {
      fd = this.#target.fdFor(bytes.length);
    } catch {
      this.#lose(lines);
      return;
    }
    write(fd, bytes, (error, sent) => {
      if (error !== null && isAgain(error)) this.#clock.setTimer(RETRY_MS, () => this.#send(bytes, lines));
      else if (error !== null) this.#lose(lines);
      else if (sent < bytes.length) this.#send(bytes.subarray(sent), lines);
      else this.#next();
    });
  }

  #lose(lines: number): void {
    this.#dropped += lines;
    this.#next();
  }
}

function isAgain(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

/** Where sinks of standard error write; another target in a program that shows its user something else there. */
let standardError: WriteTarget = { fdFor: () => 2 };

/** The process' standard error, or the target that `redirectStderrSinks` set. */
export function createStderrSink(clock: Clock): LogSink {
  return new BackgroundWriter({ fdFor: (bytes) => standardError.fdFor(bytes) }, clock);
}

/** Makes all sinks of standard error in this process write to a file instead; other writes to standard error stay. */
export function redirectStderrSinks(target: WriteTarget): void {
  standardError = target;
}
