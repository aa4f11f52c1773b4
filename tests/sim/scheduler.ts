import type { Clock } from '@manta/kube';
import type { Choices } from './choices.ts';

/** One thing that can happen next: a timer, or a message that arrives. */
export interface Step {
  readonly label: string;
  /** Whose it is: it goes when its owner goes. */
  readonly owner: string;
  readonly dueAt: number;
  readonly run: () => void;
  /** Of a write that is still under way. It may outlive its owner. */
  readonly isWrite: boolean;
}

export interface StepOptions {
  readonly label: string;
  readonly owner: string;
  readonly delayMs: number;
  readonly isWrite?: boolean;
}

/**
 * Virtual time, and the choice of what happens next. Of the steps that are due one is chosen; when none is, time jumps to the next.
 * Between two steps everything that waits for no step runs to its end.
 */
export class Scheduler {
  readonly #choices: Choices;
  readonly #steps = new Set<Step>();
  #now = Date.UTC(2026, 0, 1);
  #taken = 0;
  #current = 'start';

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  now(): number {
    return this.#now;
  }

  /** How many steps were taken. */
  get taken(): number {
    return this.#taken;
  }

  /** The owner of the step that is being taken. */
  get current(): string {
    return this.#current;
  }

  schedule({ label, owner, delayMs, isWrite = false }: StepOptions, run: () => void): () => void {
    const step = { label, owner, dueAt: this.#now + Math.ceil(Math.max(0, delayMs)), run, isWrite };
    this.#steps.add(step);
    return () => this.#steps.delete(step);
  }

  /** A clock whose timers are steps of this owner. */
  clock(owner: string): Clock {
    return {
      now: () => this.#now,
      setTimer: (delayMs, run) => this.schedule({ label: 'timer', owner, delayMs }, run),
    };
  }

  /** Drops all steps of an owner but those that are to be kept. */
  drop(owner: string, isKept: (step: Step) => boolean): void {
    for (const step of this.#steps) if (step.owner === owner && !isKept(step)) this.#steps.delete(step);
  }

  /** Takes one step, or moves time to `until` where nothing is due before; says what was done. */
  async next(until: number): Promise<Step | undefined> {
    const step = this.#choose(until);
    if (step === undefined) {
      this.#now = until;
      return undefined;
    }
    this.#steps.delete(step);
    this.#now = Math.max(this.#now, step.dueAt);
    this.#current = step.owner;
    this.#taken += 1;
    step.run();
    await settled();
    return step;
  }

  /** Runs something outside of any step, as `owner`. */
  async as(owner: string, run: () => void | Promise<void>): Promise<void> {
    this.#current = owner;
    await run();
    await settled();
  }

  #choose(until: number): Step | undefined {
    let due: Step[] = [];
    let earliest = Number.POSITIVE_INFINITY;
    for (const step of this.#steps) {
      const at = Math.max(step.dueAt, this.#now);
      if (at > earliest) continue;
      if (at < earliest) due = [];
      earliest = at;
      due.push(step);
    }
    return earliest > until ? undefined : due[this.#choices.pick(due.length)];
  }
}

/** Everything that waits for no timer and no socket has run to its end. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
