import type { BuildContext } from '../build/context.ts';
import { kai } from './kai.ts';
import { kubernetesWas } from './kubernetes-was.ts';
import type { BatchScheduler, BatchSchedulerName } from './scheduler.ts';
import { schedulerPlugins } from './scheduler-plugins.ts';
import { volcano } from './volcano.ts';
import { yunikorn } from './yunikorn.ts';

const SCHEDULERS: Readonly<Record<BatchSchedulerName, BatchScheduler>> = {
  volcano,
  yunikorn,
  'kai-scheduler': kai,
  'scheduler-plugins': schedulerPlugins,
  'kubernetes-was': kubernetesWas,
};

/** The configured batch scheduler; undefined: none. */
export function schedulerOf({ batchScheduler }: Pick<BuildContext, 'batchScheduler'>): BatchScheduler | undefined {
  return batchScheduler === undefined ? undefined : SCHEDULERS[batchScheduler];
}
