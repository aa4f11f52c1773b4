import { type Logger, silentLogger } from '@manta/runtime';
import { type Choices, replayedChoices, seededChoices } from './choices.ts';
import type { SimEvent } from './history.ts';
import type { Scenario } from './scenario.ts';
import { shrinkTrace } from './shrink.ts';
import { Simulation, Violation } from './simulation.ts';

/**
 * Whole programs on the engine's store, in one process, on virtual time. A seed decides everything that is left to chance: which timer
 * runs first, when each request, answer and watch event arrives, what users do, what breaks and when a process dies.
 *
 * To put a program under test, write a {@link Scenario}:
 * - `program.run(world, stop)` builds it from its world as its `main` would (informers, controllers, a manager) and runs it. It may use
 *   nothing but its world: a real timer or socket would escape the simulation.
 * - `prepare` creates what must be there first; `environment` starts what works around it; `moves` are what users do.
 * - `invariants` look at the history after every step that wrote something. Mind what a correct program cannot know: `facts` tells of
 *   writes without an answer, of reads of an older state and of two instances at once.
 * - `goal` tells what is missing when the world has been left alone; afterwards nothing may be written any more.
 * - `faults` narrows what may go wrong. A new kind of fault goes into `faults.ts`.
 *
 * Then `explore(scenario, seeds)` in a test, and `describeFailure` where it finds something.
 */
export async function simulate(scenario: Scenario, seed: number, options: SimulateOptions = {}): Promise<Outcome> {
  const choices: Choices = options.trace === undefined ? seededChoices(seed) : replayedChoices(options.trace);
  const simulation = new Simulation(scenario, seed, choices, options.log ?? silentLogger);
  let violation: string | undefined;
  try {
    await simulation.run();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error.message;
  }
  const { scheduler, recorder, log } = simulation;
  return { seed, violation, trace: choices.trace, steps: scheduler.taken, events: recorder.events, log };
}

export interface SimulateOptions {
  /** The choices of an earlier run instead of those of the seed. */
  readonly trace?: readonly number[];
  /** What the program says; nothing is kept unless told. */
  readonly log?: Logger;
}

/** How a run ended. */
export interface Outcome {
  readonly seed: number;
  /** The promise that was broken; undefined when all were kept. */
  readonly violation: string | undefined;
  readonly trace: readonly number[];
  readonly steps: number;
  readonly events: readonly SimEvent[];
  /** What happened, one line each. */
  readonly log: readonly string[];
}

/** Runs seed after seed; returns the first run that broke a promise. */
export async function explore(scenario: Scenario, tried: Iterable<number>): Promise<Outcome | undefined> {
  for (const seed of tried) {
    const outcome = await simulate(scenario, seed);
    if (outcome.violation !== undefined) return outcome;
  }
  return undefined;
}

/** `count` seeds from `first` on. */
export function* seeds(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed += 1) yield seed;
}

/** The same failure with as little as possible happening before it. */
export async function shrink(scenario: Scenario, failed: Outcome, maxRuns = 2_000): Promise<Outcome> {
  const promise = promiseOf(failed);
  let best = failed;
  await shrinkTrace(failed.trace, maxRuns, async (trace) => {
    const outcome = await simulate(scenario, failed.seed, { trace });
    if (promiseOf(outcome) !== promise || outcome.log.length > best.log.length) return undefined;
    best = outcome;
    return outcome.trace;
  });
  return best;
}

/** What broke, how to see it again, and the shortest way to it that was found. */
export async function describeFailure(scenario: Scenario, failed: Outcome, maxRuns?: number): Promise<string> {
  const shortest = await shrink(scenario, failed, maxRuns);
  const faults = scenario.faults === undefined ? '' : ` --faults ${scenario.faults.join(',')}`;
  return [
    `seed ${failed.seed} of "${scenario.name}": ${failed.violation}`,
    `again: node tests/sim/long.ts --scenario ${scenario.name}${faults} --seed ${failed.seed}`,
    `the shortest schedule that was found (${failed.steps} steps became ${shortest.steps}):`,
    ...shortest.log,
    `  ✗ ${shortest.violation}`,
  ].join('\n');
}

/** Which promise was broken, without the particulars. */
function promiseOf({ violation }: Outcome): string | undefined {
  return violation?.replace(/:.*$/s, '');
}
