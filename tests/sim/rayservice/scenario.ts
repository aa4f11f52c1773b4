import type { Move, Scenario } from '../scenario.ts';
import { environment } from './environment.ts';
import { goal } from './goal.ts';
import { INVARIANTS } from './invariants.ts';
import type { Mistake } from './mistakes.ts';
import { MOVES } from './moves.ts';
import { serviceProgram } from './program.ts';
import { prepare } from './stage.ts';

/** A RayService and the operator's real controller, while users, clusters and everything around them have their troubles. */
export function rayServiceScenario({
  mistake,
  faults,
}: {
  readonly mistake?: Mistake | undefined;
  readonly faults?: Scenario['faults'];
} = {}): Scenario {
  return {
    ...(faults === undefined ? {} : { faults }),
    name: mistake === undefined ? 'rayservice' : `rayservice:${mistake}`,
    program: serviceProgram(mistake),
    prepare,
    environment,
    moves: Object.fromEntries(Object.entries(MOVES).map(([name, move]) => [name, later(move)])),
    invariants: INVARIANTS,
    goal,
    isAfterthought: (plural) => plural === 'events',
  };
}

/** Most moves are put off until there is something for them to disturb. */
function later(move: Move): Move {
  return async (backstage) => {
    const { clock, choices } = backstage;
    if (!choices.chance(0.8)) return move(backstage);
    clock.setTimer(5_000 + 1_000 * choices.pick(45), () => void move(backstage));
  };
}
