import type { Scenario } from '../scenario.ts';
import { environment } from './environment.ts';
import { goal } from './goal.ts';
import { INVARIANTS } from './invariants.ts';
import type { Mistake } from './mistakes.ts';
import { MOVES } from './moves.ts';
import { jobProgram } from './program.ts';
import { prepare } from './stage.ts';

/** Jobs in every mode and the operator's real controller, while Ray, submitters, users and everything around them have their troubles. */
export function rayJobScenario({
  mistake,
  faults,
}: {
  readonly mistake?: Mistake | undefined;
  readonly faults?: Scenario['faults'];
} = {}): Scenario {
  return {
    ...(faults === undefined ? {} : { faults }),
    name: mistake === undefined ? 'rayjob' : `rayjob:${mistake}`,
    program: jobProgram(mistake),
    prepare,
    environment,
    moves: MOVES,
    invariants: INVARIANTS,
    goal,
    isAfterthought: (plural) => plural === 'events',
  };
}
