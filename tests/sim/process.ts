import { type Switchboard, type Wire, WRITES, withFaults } from '@manta/apiserver/testing';
import { ApiError, type Clock, type KubeClient, TransportError } from '@manta/kube';
import { createMetricsRegistry, type Logger, type World } from '@manta/runtime';
import { seededRandom } from '@manta/runtime/testing';
import type { Choices } from './choices.ts';
import type { Facts } from './history.ts';
import { logRequests, type RequestLog } from './requests.ts';
import type { Backstage, Program } from './scenario.ts';
import type { Scheduler } from './scheduler.ts';

/** The surroundings of a simulated process. */
export interface Surroundings {
  readonly scheduler: Scheduler;
  readonly choices: Choices;
  readonly board: Switchboard;
  readonly server: KubeClient;
  readonly replica: KubeClient;
  readonly facts: Facts;
  readonly requests: RequestLog;
  readonly backstage: Backstage;
  readonly log: Logger;
  /** How long a message takes. */
  readonly latency: () => number;
  /** Told when a program ends by itself. */
  readonly ended: (process: SimProcess, error: unknown) => void;
  /** Told when a program is to die at this very point. */
  readonly crashed: (process: SimProcess) => boolean;
}

/**
 * One life of a program. Its timers and its messages are steps of the scheduler. When it crashes they vanish: no line of its code runs
 * again. Writes that had left it may still arrive.
 */
export class SimProcess {
  readonly program: Program;
  readonly id: string;
  readonly #around: Surroundings;
  readonly #gone = new AbortController();
  readonly #stop = new AbortController();
  readonly #pendingWrites: () => number;
  readonly #world: World;
  isAlive = true;

  constructor(program: Program, id: string, seed: number, around: Surroundings) {
    this.program = program;
    this.id = id;
    this.#around = around;
    const { scheduler, log, facts, requests } = around;
    const clock = this.#clock(scheduler.clock(id));
    const { client, pendingWrites } = logRequests(this.#network(), id, requests, facts);
    this.#pendingWrites = pendingWrites;
    const metrics = createMetricsRegistry();
    this.#world = { clock, client, log: log.with({ process: id }), metrics, random: seededRandom(seed) };
  }

  start(): void {
    const end = (error?: unknown) => {
      if (!this.isAlive) return;
      this.#die(() => false);
      this.#around.ended(this, this.#stop.signal.aborted ? undefined : (error ?? new Error('the program has ended')));
    };
    const { backstage } = this.#around;
    const outside = {
      backstage,
      exchange: <T>(label: string, answer: () => T) => this.#exchange(label, answer),
      crash: () => this.#around.crashed(this),
    };
    this.program.run(this.#world, this.#stop.signal, outside).then(() => end(), end);
  }

  get isStopping(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Asks it to end; it does so in its own time. */
  stop(): void {
    this.#stop.abort(new Error('stop'));
  }

  crash(): void {
    if (!this.isAlive) return;
    this.#around.facts.doubtfulWrites += this.#pendingWrites();
    this.#die(({ isWrite }) => isWrite && this.#around.choices.chance(0.5));
  }

  #die(isKept: Parameters<Scheduler['drop']>[1]): void {
    this.isAlive = false;
    this.#around.scheduler.drop(this.id, isKept);
    this.#gone.abort();
  }

  /** Nobody who is dead sets a timer. */
  #clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      setTimer: (delayMs, run) => (this.isAlive ? clock.setTimer(delayMs, run) : () => undefined),
    };
  }

  #exchange<T>(label: string, answer: () => T): Promise<T> {
    const { scheduler, latency } = this.#around;
    return new Promise((resolve, reject) => {
      const travel = (what: string, run: () => void) => {
        if (this.isAlive) scheduler.schedule({ label: `${what} ${label}`, owner: this.id, delayMs: latency() }, run);
      };
      travel('request', () => {
        try {
          const value = answer();
          travel('answer', () => resolve(value));
        } catch (error) {
          travel('answer', () => reject(error));
        }
      });
    });
  }

  #network(): KubeClient {
    const { scheduler, board, server, replica } = this.#around;
    return withFaults(server, board, {
      client: this.program.name,
      clock: scheduler.clock(this.id),
      wire: this.#wire(),
      replica,
      gone: this.#gone.signal,
      errors: {
        refused: (call, status) => new ApiError(failedCall(call), status.code ?? 500, status.message ?? '', status),
        lost: (call, message, wasNeverSent) => new TransportError(message, { call: failedCall(call), wasNeverSent }),
      },
    });
  }

  #wire(): Wire {
    const { scheduler, latency } = this.#around;
    return {
      carry: ({ what, call, delayMs }, deliver) => {
        if (!this.isAlive) return;
        const label = `${what} ${call.verb} ${call.resource}${call.name === undefined ? '' : `/${call.name}`}`;
        const isWrite = what === 'request' && WRITES.includes(call.verb);
        scheduler.schedule({ label, owner: this.id, delayMs: delayMs + latency(), isWrite }, deliver);
      },
    };
  }
}

function failedCall({ verb, resource }: { readonly verb: string; readonly resource: string }) {
  return { method: verb, path: resource };
}
