import { ConcurrencyPolicy, LOCAL_TIME_ZONE, loadTimeZone, parseCron, type RayCronJobSpec } from '@manta/api';
import type { CronChild, ObservedRayCronJob } from './observed.ts';
import { findTicks, type Ticks, type Timetable } from './ticks.ts';

/** A valid RayCronJob with its schedule evaluated for now. */
export interface CronJobState extends ObservedRayCronJob {
  readonly spec: RayCronJobSpec;
  readonly namespace: string;
  /** The RayJobs that this object (by uid) controls. */
  readonly own: readonly CronChild[];
  /** Times up to this one need no RayJob any more; milliseconds since the epoch. */
  readonly servedUntil: number;
  readonly ticks: Ticks;
  /** The newest scheduled time that missed the starting deadline. */
  readonly missed: number | undefined;
  /** Whether a RayJob may be created while an earlier one runs. */
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

/** Missed times count from the last scheduled time, or from the creation of a new RayCronJob. */
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
