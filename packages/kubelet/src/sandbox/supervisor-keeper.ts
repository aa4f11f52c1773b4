import { guard } from '@manta/base';
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SupervisorConnection } from './supervisor-connection.ts';

export interface SupervisorKeeperOptions {
  /** The supervisor with its settings. */
  readonly command: readonly string[];
  /** Where it listens. */
  readonly socket: string;
  /** Called when it has died unexpectedly. */
  readonly onDeath: (error: Error) => void;
  /** Given the line to each that is started. */
  readonly onStart?: (line: SupervisorConnection) => void;
}

const SOON_MS = 10;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** One that has lived so long did not die of its start. */
const WELL_MS = 10_000;

/** Keeps the supervisor running: when it dies, and every pod's processes with it, another is started. */
export class SupervisorKeeper {
  readonly #options: SupervisorKeeperOptions;
  readonly #closing = new AbortController();
  #child: ChildProcess | undefined;
  #line: Promise<SupervisorConnection>;
  #ended: Promise<void> = Promise.resolve();

  private constructor(options: SupervisorKeeperOptions) {
    this.#options = options;
    this.#line = this.#start();
  }

  /** Rejects with the supervisor's last words where it cannot even begin. */
  static async start(options: SupervisorKeeperOptions): Promise<SupervisorKeeper> {
    const keeper = new SupervisorKeeper(options);
    await keeper.#line;
    void keeper.#watch();
    return keeper;
  }

  /** The line to the supervisor that runs now; waits for the next one where it has just died. */
  async line(): Promise<SupervisorConnection> {
    let line = await this.#line;
    while (line.isOver && !this.#closing.signal.aborted) {
      await this.#ended;
      await sleep(SOON_MS);
      line = await this.#line;
    }
    return line;
  }

  /** Ends the supervisor, and with it everything that it runs. */
  async close(): Promise<void> {
    this.#closing.abort();
    const line = await this.#line.catch(() => undefined);
    line?.close();
    await this.#ended;
  }

  /** Ends it at once. */
  kill(): void {
    this.#closing.abort();
    this.#child?.kill('SIGKILL');
  }

  async #start(): Promise<SupervisorConnection> {
    const { command, socket } = this.#options;
    rmSync(socket, { force: true });
    const { child, ended, failed } = startSupervisor(command);
    this.#child = child;
    this.#ended = ended;
    try {
      const line = await SupervisorConnection.open(socket, failed);
      this.#options.onStart?.(line);
      return line;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  async #watch(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.#closing.signal.aborted) {
      const startedMs = performance.now();
      await this.#ended;
      if (this.#closing.signal.aborted) return;
      this.#options.onDeath(new Error('the pod supervisor has died with all that ran in it; another is started'));
      if (performance.now() - startedMs > WELL_MS) pauseMs = FIRST_PAUSE_MS;
      const wait = pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      this.#line = sleep(wait, undefined, { signal: this.#closing.signal }).then(() => this.#start());
      await this.#line.catch((error: unknown) => {
        if (error instanceof Error && !this.#closing.signal.aborted) this.#options.onDeath(error);
      });
    }
  }
}

function startSupervisor([program = '', ...args]: readonly string[]) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on(
    'data',
    guard('sandbox', child.stderr, (text: string) => {
      said = (said + text).slice(-4096);
    }),
  );
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  const failed = ended.then((): never => {
    throw new Error(`the pod supervisor ended: ${said.trim() || `${program} said nothing (${child.exitCode})`}`);
  });
  failed.catch(() => undefined);
  return { child, ended, failed };
}
