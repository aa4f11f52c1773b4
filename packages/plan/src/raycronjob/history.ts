import type { RayCronJobSpec } from '@manta/api';
import type { DeleteAction } from '../plan.ts';
import type { CronChild } from './observed.ts';

/** Deletes the oldest of the RayJobs that have ended, as far as there are more than are to be kept. */
export function planHistory(spec: RayCronJobSpec, children: readonly CronChild[]): readonly DeleteAction[] {
  return [
    ...beyond(spec.successfulJobsHistoryLimit, children, 'succeeded'),
    ...beyond(spec.failedJobsHistoryLimit, children, 'failed'),
  ];
}

function beyond(
  limit: number | undefined,
  children: readonly CronChild[],
  outcome: CronChild['outcome'],
): readonly DeleteAction[] {
  if (limit === undefined) return [];
  return children
    .filter((child) => child.outcome === outcome && !child.isTerminating)
    .toSorted((a, b) => b.scheduledAt - a.scheduledAt)
    .slice(Math.max(limit, 0))
    .map(deleteChild);
}

/** Deletes a child, and what it made with it. */
export function deleteChild({ name, uid }: CronChild): DeleteAction {
  return { type: 'delete', kind: 'RayJob', name, uid, propagation: 'Background' };
}
