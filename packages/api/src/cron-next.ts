import type { CronSchedule, FieldSchedule } from './cron.ts';
import { fromLocalTime, type LocalTime, type TimeZone, toLocalTime } from './time-zone.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SEARCH_YEARS = 5;
/** Beyond this, five more years don't fit into a JavaScript date. */
const LAST_INSTANT = 8.63e15;

/**
 * The first time strictly after `afterMs` that a schedule is due, on a clock in the zone; nothing if there is none within
 * five years. Times that a change of clocks skips aren't due; those that it repeats are due twice.
 */
export function nextActivation(schedule: CronSchedule, afterMs: number, zone: TimeZone): number | undefined {
  if (!(Math.abs(afterMs) < LAST_INSTANT)) return undefined;
  const secondMs = Math.floor(afterMs / SECOND) * SECOND;
  if (schedule.kind === 'every') return secondMs + schedule.delaySeconds * SECOND;
  return canFire(schedule) ? new Search(schedule, zone, secondMs + SECOND).run() : undefined;
}

/** Searching five years minute by minute for an empty field would take seconds. */
function canFire(schedule: FieldSchedule): boolean {
  const { minutes, hours, daysOfMonth, months, daysOfWeek, eitherDayMatches } = schedule;
  const hasDays = eitherDayMatches
    ? daysOfMonth.size + daysOfWeek.size > 0
    : daysOfMonth.size > 0 && daysOfWeek.size > 0;
  return minutes.size > 0 && hours.size > 0 && months.size > 0 && hasDays;
}

/**
 * Moves a cursor forward, largest unit first. The first move of all resets the smaller units; a carry into a larger unit
 * starts over. Days are steps on the calendar, hours and minutes are steps in real time, and so a repeated hour is
 * visited twice.
 */
class Search {
  readonly #schedule: FieldSchedule;
  readonly #zone: TimeZone;
  readonly #lastYear: number;
  #cursor: number;
  #local: LocalTime;
  #moved = false;

  constructor(schedule: FieldSchedule, zone: TimeZone, startMs: number) {
    this.#schedule = schedule;
    this.#zone = zone;
    this.#cursor = startMs;
    this.#local = toLocalTime(zone, startMs);
    this.#lastYear = this.#local.year + SEARCH_YEARS;
  }

  run(): number | undefined {
    while (this.#local.year <= this.#lastYear) {
      if (this.#findMonth() && this.#findDay() && this.#findHour() && this.#findMinute() && this.#findSecond()) {
        return this.#cursor;
      }
    }
    return undefined;
  }

  /** Each of these answers whether it found a match without a carry into the next larger unit. */
  #findMonth(): boolean {
    while (!this.#schedule.months.has(this.#local.month)) {
      this.#firstMove(() => fromLocalTime(this.#zone, this.#local.year, this.#local.month, 1));
      const { year, month, day, hour, minute } = this.#local;
      this.#moveTo(fromLocalTime(this.#zone, year, month + 1, day, hour, minute));
      if (this.#local.month === 1) return false;
    }
    return true;
  }

  #findDay(): boolean {
    while (!this.#dayMatches()) {
      this.#firstMove(() => fromLocalTime(this.#zone, this.#local.year, this.#local.month, this.#local.day));
      this.#stepDay();
      if (this.#local.day === 1) return false;
    }
    return true;
  }

  /** A place that moves across the date line skips a whole day: the step there leads nowhere and has to be longer. */
  #stepDay(): void {
    const { year, month, day, hour, minute } = this.#local;
    const before = this.#cursor;
    for (let days = 1; this.#cursor <= before; days++) {
      this.#moveTo(fromLocalTime(this.#zone, year, month, day + days, hour, minute));
      this.#returnToMidnight();
    }
  }

  /** Where clocks change at midnight, a calendar step can land an hour before or after it. */
  #returnToMidnight(): void {
    const { hour } = this.#local;
    if (hour > 12) this.#moveTo(this.#cursor + (24 - hour) * HOUR);
    else if (hour > 0) this.#moveTo(this.#cursor - hour * HOUR);
  }

  #dayMatches(): boolean {
    const { daysOfMonth, daysOfWeek, eitherDayMatches } = this.#schedule;
    const inMonth = daysOfMonth.has(this.#local.day);
    const inWeek = daysOfWeek.has(this.#local.weekday);
    return eitherDayMatches ? inMonth || inWeek : inMonth && inWeek;
  }

  #findHour(): boolean {
    while (!this.#schedule.hours.has(this.#local.hour)) {
      this.#firstMove(() => {
        const { year, month, day, hour } = this.#local;
        return fromLocalTime(this.#zone, year, month, day, hour);
      });
      this.#moveTo(this.#cursor + HOUR);
      if (this.#local.hour === 0) return false;
    }
    return true;
  }

  #findMinute(): boolean {
    while (!this.#schedule.minutes.has(this.#local.minute)) {
      this.#firstMove(() => Math.floor(this.#cursor / MINUTE) * MINUTE);
      this.#moveTo(this.#cursor + MINUTE);
      if (this.#local.minute === 0) return false;
    }
    return true;
  }

  /** Standard schedules are due at second 0 only. */
  #findSecond(): boolean {
    if (this.#local.second === 0) return true;
    this.#moved = true;
    this.#moveTo(this.#cursor + (60 - this.#local.second) * SECOND);
    return false;
  }

  #firstMove(reset: () => number): void {
    if (this.#moved) return;
    this.#moved = true;
    this.#moveTo(reset());
  }

  #moveTo(instantMs: number): void {
    this.#cursor = instantMs;
    this.#local = toLocalTime(this.#zone, instantMs);
  }
}
