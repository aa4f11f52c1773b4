import type { Scenario } from '../scenario.ts';
import { environment } from './environment.ts';
import { goal } from './goal.ts';
import { INVARIANTS } from './invariants.ts';
import type { Mistake } from './mistakes.ts';
import { MOVES } from './moves.ts';
import { cronProgram } from './program.ts';
import { prepare } from './stage.ts';

/** Schedules and the operator's real controller, while users, clocks and everything around them have their troubles. */
export function rayCronJobScenario({
  mistake,
  faults,
}: {
  readonly mistake?: Mistake | undefined;
  readonly faults?: Scenario['faults'];
} = {}): Scenario {
  return {
    ...(faults === undefined ? {} : { faults }),
    name: mistake === undefined ? 'raycronjob' : `raycronjob:${mistake}`,
    program: cronProgram(mistake),
    prepare,
    environment,
    moves: MOVES,
    invariants: INVARIANTS,
    goal,
    isAfterthought: (plural) => plural === 'events',
  };
}
