import { MISTAKES, type Mistake } from './raycluster/mistakes.ts';
import { rayClusterScenario } from './raycluster/scenario.ts';
import { MISTAKES as CRON_MISTAKES, type Mistake as CronMistake } from './raycronjob/mistakes.ts';
import { rayCronJobScenario } from './raycronjob/scenario.ts';
import { MISTAKES as JOB_MISTAKES, type Mistake as JobMistake } from './rayjob/mistakes.ts';
import { rayJobScenario } from './rayjob/scenario.ts';
import { MISTAKES as SERVICE_MISTAKES, type Mistake as ServiceMistake } from './rayservice/mistakes.ts';
import { rayServiceScenario } from './rayservice/scenario.ts';
import { undisturbedService } from './rayservice/undisturbed.ts';
import type { Scenario } from './scenario.ts';
import { BUGS, type Bug } from './toy/bugs.ts';
import { toyScenario } from './toy/scenario.ts';

/** Every scenario that can be run by name. */
export const SCENARIOS: readonly Scenario[] = [
  rayClusterScenario(),
  rayClusterScenario({ isElected: true }),
  rayCronJobScenario(),
  rayJobScenario(),
  rayServiceScenario(),
  undisturbedService(),
  toyScenario(),
  ...keys<Mistake>(MISTAKES).map((mistake) => rayClusterScenario({ mistake })),
  ...keys<CronMistake>(CRON_MISTAKES).map((mistake) => rayCronJobScenario({ mistake })),
  ...keys<JobMistake>(JOB_MISTAKES).map((mistake) => rayJobScenario({ mistake })),
  ...keys<ServiceMistake>(SERVICE_MISTAKES).map((mistake) => rayServiceScenario({ mistake })),
  ...keys<Bug>(BUGS).map((bug) => toyScenario(bug)),
];

function keys<K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant record has no other keys than its type says
  return Object.keys(record) as K[];
}
