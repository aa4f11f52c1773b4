import { type CronSchedule, nextActivation, type TimeZone } from '@manta/api';

/** A schedule and the clock that it is read by. */
export interface Timetable {
  readonly schedule: CronSchedule;
  readonly zone: TimeZone;
}

/** The times that have come but were not served, and the one that comes next. */
export interface Ticks {
  /** Oldest first; at most the newest {@link MAX_MISSED}. */
  readonly due: readonly number[];
  /** Whether older ones are left out. */
  readonly hasMore: boolean;
  /** Nothing where none comes within five years. */
  readonly next: number | undefined;
}

/** So many missed times are made up for. A week of minutes would otherwise be ten thousand clusters at once. */
export const MAX_MISSED = 100;

/** What is due at `now`, where everything up to and including `after` is settled. */
export function findTicks(timetable: Timetable, after: number, now: number): Ticks {
  const first = collect(timetable, after, now);
  const hasMore = first.length > MAX_MISSED;
  const due = hasMore ? newest(timetable, after, now) : first;
  return { due, hasMore, next: nextTick(timetable, due.at(-1) ?? after, now) };
}

/** Up to one more than is allowed. */
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

/** The beat of a delay goes back to the last time that was served. */
function newestOfDelay(timetable: Timetable, delayMs: number, after: number, now: number): readonly number[] {
  const beats = Math.floor((now - after) / delayMs);
  return collect(timetable, after + (beats - MAX_MISSED) * delayMs, now).slice(-MAX_MISSED);
}

/** Halves the time in question until just so many times lie behind it: a year of minutes is found as fast as a day of them. */
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
