import type { Clock } from '@manta/kube';
import type { SandboxProcess } from '../sandbox/sandbox.ts';
import { Deadline } from './deadline.ts';
import { pause } from './pause.ts';

/** The remaining grace period of a container whose preStop hook used all of it. */
const LAST_MOMENT_MS = 2000;

/** How a run of a container is brought to its end: its hook, then a request, then the hammer. Asking again can only make it sooner. */
export class Ending {
  readonly process: SandboxProcess;
  readonly #clock: Clock;
  readonly #preStop: (() => Promise<void>) | undefined;
  readonly #deadline: Deadline;
  #done: Promise<void> | undefined;

  constructor(process: SandboxProcess, clock: Clock, preStop?: () => Promise<void>) {
    this.process = process;
    this.#clock = clock;
    this.#preStop = preStop;
    this.#deadline = new Deadline(clock);
  }

  /** Resolves when it has ended. Without any grace it is not asked. */
  within(graceMs: number): Promise<void> {
    this.#deadline.within(graceMs);
    this.#done ??= this.#end(graceMs > 0);
    return this.#done;
  }

  async #end(isAsked: boolean): Promise<void> {
    const { process } = this;
    const outcome = isAsked ? await this.#ask() : 'late';
    // Where it cannot be reached any more, it has ended or is about to.
    if (outcome === 'late') await process.signal('SIGKILL').catch(() => undefined);
    await process.ended;
    this.#deadline.forget();
  }

  async #ask(): Promise<unknown> {
    const { process } = this;
    if (this.#preStop !== undefined) await Promise.race([this.#preStop(), process.ended, this.#deadline.passed]);
    await process.signal('SIGTERM').catch(() => undefined);
    const limit = this.#deadline.hasPassed ? pause(this.#clock, LAST_MOMENT_MS) : this.#deadline.passed;
    return await Promise.race([process.ended, limit.then(() => 'late')]);
  }
}
