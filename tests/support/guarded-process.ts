import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

// The shell starts a guard and then becomes the server itself, so our child's pid is the server's. The guard reads from a pipe whose other
// end only this process has: a line means "the server has ended", the pipe's end means "the test run is gone", however it died.
const script = `
server=$$
( if ! read -r word <&3; then kill -KILL "$server"; rm -rf "$0"; sleep 0.2; rm -rf "$0"; fi ) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-
`;

/** How a server is started. */
export interface GuardedOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The file that gets what the server writes; appended to. */
  readonly logFile: string;
  /** A folder that is removed when this process dies without having stopped the server. */
  readonly folder: string;
}

/** A server that never outlives the process that started it. */
export class GuardedProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #logFile: string;
  readonly #name: string;

  constructor(options: GuardedOptions) {
    const log = openSync(options.logFile, 'a');
    const args = ['-c', script, options.folder, options.command, ...options.args];
    // A group of its own: Ctrl-C in a terminal reaches the test run, which then stops its servers in order.
    this.#child = spawn('/bin/sh', args, { stdio: ['ignore', log, log, 'pipe'], detached: true });
    closeSync(log);
    this.#logFile = options.logFile;
    this.#name = options.command.split('/').at(-1) ?? options.command;
    this.#exited = once(this.#child, 'exit').then(() => this.#dismissGuard());
  }

  #dismissGuard(): void {
    const pipe = this.#child.stdio[3] as Writable;
    pipe.on('error', () => undefined);
    pipe.end('ended\n');
  }

  /** The server's own process id. */
  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** True until the server has ended. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal, for instance SIGSTOP. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the server and waits until it is gone; one that does not heed SIGTERM within the grace period is killed. */
  async stop(signal: 'SIGTERM' | 'SIGKILL', graceMs = 20_000): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill(signal);
    if (signal === 'SIGTERM') {
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
      await this.#exited;
      clearTimeout(timer);
      return;
    }
    await this.#exited;
  }

  /** Asks again and again until the answer is yes; throws with the log's end when the server ends or time runs out first. */
  async until(what: string, isSo: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (this.isRunning && performance.now() < deadline) {
      // Whatever else may listen where the server should need not answer, so no question is waited for beyond the server's own end.
      const answer = await Promise.race([isSo().catch(() => false), this.#exited.then(() => false)]);
      if (answer) return;
      await sleep(50);
    }
    const reason = this.isRunning ? `was not ${what} after ${timeoutMs / 1000} s` : `ended before it was ${what}`;
    throw new Error(`${this.#name} ${reason}. Its log ends with:\n${this.logTail()}`);
  }

  /** The end of what the server wrote. */
  logTail(lines = 15): string {
    return readFileSync(this.#logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  }
}
