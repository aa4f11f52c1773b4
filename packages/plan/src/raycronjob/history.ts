import type { RayCronJob } from '@manta/api';
import { deleteOwn } from '../ownership.ts';
import type { DeleteAction } from '../plan.ts';
import type { CronChild } from './observed.ts';
import type { CronJobState } from './state.ts';

/** Deletes the oldest ended RayJobs beyond the history limits. */
export function deleteBeyondHistoryLimits({ spec, cronJob, own: children }: CronJobState): readonly DeleteAction[] {
  return [
    ...beyond(cronJob, spec.successfulJobsHistoryLimit, children, 'succeeded'),
    ...beyond(cronJob, spec.failedJobsHistoryLimit, children, 'failed'),
  ];
}

function beyond(
  cronJob: RayCronJob,
  limit: number | undefined,
  children: readonly CronChild[],
  outcome: CronChild['outcome'],
): readonly DeleteAction[] {
  if (limit === undefined) return [];
  return children
    .filter((child) => child.outcome === outcome && !child.isTerminating)
    .toSorted((a, b) => b.scheduledAt - a.scheduledAt)
    .slice(Math.max(limit, 0))
    .flatMap((child) => deleteChild(cronJob, child));
}

/** Deletes a RayJob; garbage collection deletes its children. */
export function deleteChild({ metadata }: RayCronJob, child: CronChild): readonly DeleteAction[] {
  return deleteOwn(metadata?.uid ?? '', 'RayJob', child, { propagation: 'Background' });
}
