import { ConcurrencyPolicy, LOCAL_TIME_ZONE, loadTimeZone, parseCron, type RayCronJobSpec } from '@manta/api';
import type { CronChild, ObservedRayCronJob } from './observed.ts';
import { findTicks, type Ticks, type Timetable } from './ticks.ts';

/** A RayCronJob whose spec is known to be valid, and what time it is for it. */
export interface CronJobState extends ObservedRayCronJob {
  readonly spec: RayCronJobSpec;
  readonly namespace: string;
  /** The RayJobs that are this very object's. */
  readonly own: readonly CronChild[];
  /** Every time up to here is settled; milliseconds since the epoch. */
  readonly servedUntil: number;
  readonly ticks: Ticks;
  /** The newest of the times that came too long ago for a RayJob to be made. */
  readonly missed: number | undefined;
  /** Whether a RayJob may be made while an earlier one runs. */
  readonly overlaps: boolean;
}

export function stateOf(observed: ObservedRayCronJob, spec: RayCronJobSpec): CronJobState {
  const { cronJob, now } = observed;
  const servedUntil = anchorOf(observed);
  const ticks = findTicks(timetableOf(spec), servedUntil, now);
  const deadlineMs = (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const isLate = (tick: number) => now - tick > deadlineMs;
  return {
    ...observed,
    spec,
    namespace: cronJob.metadata?.namespace ?? '',
    own: observed.children.filter(({ owner }) => owner !== undefined && owner === cronJob.metadata?.uid),
    servedUntil,
    ticks: { ...ticks, due: ticks.due.filter((tick) => !isLate(tick)) },
    missed: ticks.due.findLast(isLate),
    overlaps: (spec.concurrencyPolicy ?? ConcurrencyPolicy.Allow) === ConcurrencyPolicy.Allow,
  };
}

/** A schedule counts from the last time that was served, a new one from when it was made. */
function anchorOf({ cronJob, now }: ObservedRayCronJob): number {
  const anchor = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata?.creationTimestamp ?? '');
  return Number.isNaN(anchor) ? now : anchor;
}

function timetableOf(spec: RayCronJobSpec): Timetable {
  const schedule = parseCron(spec.schedule);
  const zone = loadTimeZone(spec.timeZone ?? LOCAL_TIME_ZONE);
  if (!schedule.ok || !zone.ok) throw new Error('a schedule that was found valid cannot be read');
  return { schedule: schedule.value, zone: zone.value };
}
