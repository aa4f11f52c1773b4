import type { Move, Scenario } from '../scenario.ts';
import { environment } from './environment.ts';
import { goal } from './goal.ts';
import { INVARIANTS, INVARIANTS_OF_ELECTED } from './invariants.ts';
import type { Mistake } from './mistakes.ts';
import { MOVES } from './moves.ts';
import { operatorProgram } from './program.ts';
import { prepare } from './stage.ts';

export interface RayClusterOptions {
  readonly mistake?: Mistake | undefined;
  readonly faults?: Scenario['faults'];
  /** Instances elect a leader, as they do in production; without it whoever runs acts, which is harder on the operator. */
  readonly isElected?: boolean;
}

/** Two RayClusters and the operator's real controllers, while users, the autoscaler and everything around them have their troubles. */
export function rayClusterScenario({ mistake, faults, isElected = false }: RayClusterOptions = {}): Scenario {
  const name = isElected ? 'raycluster-elected' : 'raycluster';
  return {
    ...(faults === undefined ? {} : { faults }),
    name: mistake === undefined ? name : `${name}:${mistake}`,
    program: operatorProgram({ mistake, isElected }),
    prepare,
    environment,
    moves: spread(MOVES),
    invariants: isElected ? INVARIANTS_OF_ELECTED : INVARIANTS,
    goal,
    isAfterthought: (plural) => plural === 'events' || plural === 'leases',
  };
}

/** The last moment at which a move may still be made: then calm begins. */
const LATEST_MS = 55_000;

/** Half of the moves are put off, so that there is something for them to disturb. */
function spread(moves: Readonly<Record<string, Move>>): Readonly<Record<string, Move>> {
  return Object.fromEntries(
    Object.entries(moves).map(([name, move]): [string, Move] => [
      name,
      async (backstage) => {
        const { clock, choices } = backstage;
        const passedMs = clock.now() - START;
        const delayMs = 1_000 * choices.pick(40);
        if (!choices.chance(0.5) || passedMs + delayMs > LATEST_MS) return move(backstage);
        clock.setTimer(delayMs, () => void move(backstage));
      },
    ]),
  );
}

/** When every simulation begins. */
const START = Date.UTC(2026, 0, 1);
