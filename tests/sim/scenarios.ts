import { rayClusterScenario } from './raycluster/scenario.ts';
import type { Scenario } from './scenario.ts';
import { BUGS, type Bug } from './toy/bugs.ts';
import { toyScenario } from './toy/scenario.ts';

/** Every scenario that can be run by name. */
export const SCENARIOS: readonly Scenario[] = [
  toyScenario(),
  rayClusterScenario(),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant record has no other keys than its type says
  ...(Object.keys(BUGS) as Bug[]).map((bug) => toyScenario(bug)),
];
