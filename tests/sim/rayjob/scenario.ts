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
  moves = Object.keys(MOVES),
}: {
  readonly mistake?: Mistake | undefined;
  readonly faults?: Scenario['faults'];
  /** What users do and fate does to Ray; all of it unless told. */
  readonly moves?: readonly string[] | undefined;
} = {}): Scenario {
  return {
    ...(faults === undefined ? {} : { faults }),
    name: mistake === undefined ? 'rayjob' : `rayjob:${mistake}`,
    program: jobProgram(mistake),
    prepare,
    environment,
    moves: Object.fromEntries(Object.entries(MOVES).filter(([name]) => moves.includes(name))),
    invariants: INVARIANTS,
    goal,
    // Pods go in their own time.
    isAfterthought: (plural) => plural === 'events' || plural === 'pods',
  };
}
