import type { Move, Scenario } from '../scenario.ts';
import { environment } from './environment.ts';
import { goal } from './goal.ts';
import { INVARIANTS } from './invariants.ts';
import type { Mistake } from './mistakes.ts';
import { MOVES } from './moves.ts';
import { operatorProgram } from './program.ts';
import { prepare } from './stage.ts';

/** Two RayClusters and the operator's real controllers, while users, the autoscaler and everything around them have their troubles. */
export function rayClusterScenario(mistake?: Mistake, faults?: Scenario['faults']): Scenario {
  return {
    ...(faults === undefined ? {} : { faults }),
    name: mistake === undefined ? 'raycluster' : `raycluster:${mistake}`,
    program: operatorProgram(mistake),
    prepare,
    environment,
    moves: spread(MOVES),
    invariants: INVARIANTS,
    goal,
    isAfterthought: ({ key }) => key.resource === 'events.k8s.io/events' || key.resource === '/events',
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
