import { type CronSchedule, nextActivation, type TimeZone } from '@manta/api';

/** A schedule and its time zone. */
export interface Timetable {
  readonly schedule: CronSchedule;
  readonly zone: TimeZone;
}

/** Due times without a RayJob, and the next time. */
export interface Ticks {
  /** Oldest first; at most the newest {@link MAX_MISSED}. */
  readonly due: readonly number[];
  /** Whether older due times are left out. */
  readonly hasMore: boolean;
  /** Undefined if there is none within five years. */
  readonly next: number | undefined;
}

/** The most missed times that are made up for. A schedule that missed a week of minutes would otherwise start ten thousand clusters. */
export const MAX_MISSED = 100;

/** Due times after `after` (exclusive) up to `now`. */
export function findTicks(timetable: Timetable, after: number, now: number): Ticks {
  const first = collect(timetable, after, now);
  const hasMore = first.length > MAX_MISSED;
  const due = hasMore ? newest(timetable, after, now) : first;
  return { due, hasMore, next: nextTick(timetable, due.at(-1) ?? after, now) };
}

/** One more than {@link MAX_MISSED} at most, to detect that some are left out. */
function collect({ schedule, zone }: Timetable, after: number, now: number): readonly number[] {
  const ticks: number[] = [];
  for (let tick = nextActivation(schedule, after, zone); ticks.length <= MAX_MISSED; ) {
    if (tick === undefined || tick > now) break;
    ticks.push(tick);
    tick = nextActivation(schedule, tick, zone);
  }
  return ticks;
}

function newest(timetable: Timetable, after: number, now: number): readonly number[] {
  return timetable.schedule.kind === 'every'
    ? newestOfDelay(timetable, timetable.schedule.delaySeconds * 1000, after, now)
    : newestOfFields(timetable, after, now);
}

/** An `@every` schedule counts its intervals from the last scheduled time. */
function newestOfDelay(timetable: Timetable, delayMs: number, after: number, now: number): readonly number[] {
  const beats = Math.floor((now - after) / delayMs);
  return collect(timetable, after + (beats - MAX_MISSED) * delayMs, now).slice(-MAX_MISSED);
}

/** Binary search for the start of the newest due times: a year of minutes takes as long as a day of them. */
function newestOfFields(timetable: Timetable, after: number, now: number): readonly number[] {
  let tooEarly = after;
  let lateEnough = now;
  while (lateEnough - tooEarly > 1000) {
    const middle = Math.floor((tooEarly + lateEnough) / 2);
    if (collect(timetable, middle, now).length > MAX_MISSED) tooEarly = middle;
    else lateEnough = middle;
  }
  return collect(timetable, lateEnough, now);
}

function nextTick({ schedule, zone }: Timetable, last: number, now: number): number | undefined {
  return nextActivation(schedule, schedule.kind === 'every' ? last : Math.max(last, now), zone);
}
