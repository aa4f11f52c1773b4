import { type Parsed, parsed, unparsed } from './parsed.ts';

/** A place's clock. */
export interface TimeZone {
  readonly name: string;
  /** How far local time is ahead of UTC at an instant, in milliseconds. */
  readonly offsetMs: (instantMs: number) => number;
}

/** What a wall clock and a calendar show. */
export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** The name of the zone of the machine that we run on. */
export const LOCAL_TIME_ZONE = 'Local';

export const UTC: TimeZone = { name: 'UTC', offsetMs: () => 0 };

/** Names without a slash that the tz database has; JavaScript knows more of them than Kubernetes does. */
const SHORT_NAMES = new Set(
  `CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel
  Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT
  UTC Universal W-SU WET Zulu`.split(/\s+/),
);

const known = new Map<string, TimeZone>();

/** Finds a zone by its name in the tz database, `UTC` or `Local`; error texts are Go's. */
export function loadTimeZone(name: string): Parsed<TimeZone> {
  if (name === '' || name === UTC.name) return parsed(UTC);
  if (name.includes('..') || /^[/\\]/.test(name)) return unparsed('time: invalid location name');
  const zone = known.get(name) ?? createZone(name);
  if (zone === undefined) return unparsed(`unknown time zone ${name}`);
  known.set(name, zone);
  return parsed(zone);
}

function createZone(name: string): TimeZone | undefined {
  if (name !== LOCAL_TIME_ZONE && !isDatabaseName(name)) return undefined;
  try {
    const clock = new Intl.DateTimeFormat('en-US', {
      ...(name === LOCAL_TIME_ZONE ? {} : { timeZone: name }),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    // JavaScript ignores case; a name in the wrong case is a typing error that Kubernetes refuses.
    const resolved = clock.resolvedOptions().timeZone;
    if (resolved !== name && resolved.toLowerCase() === name.toLowerCase()) return undefined;
    return { name, offsetMs: (instantMs) => offsetOf(clock, instantMs) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Leaves out what only JavaScript takes for a zone: offsets, lower case, and names such as `PST` and `SystemV/EST5`. */
function isDatabaseName(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  return name.includes('/') ? !name.startsWith('SystemV/') && name !== 'US/Pacific-New' : SHORT_NAMES.has(name);
}

function offsetOf(clock: Intl.DateTimeFormat, instantMs: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of clock.formatToParts(instantMs)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / 1000) * 1000;
}

/** What a clock in the zone shows at an instant. */
export function toLocalTime(zone: TimeZone, instantMs: number): LocalTime {
  const shifted = new Date(instantMs + zone.offsetMs(instantMs));
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
    weekday: shifted.getUTCDay(),
  };
}

/**
 * The instant at which a clock in the zone shows a time; days and months beyond their range carry over. A time that a
 * change of clocks skips or repeats gives one of the two neighbours, chosen as Go chooses it.
 */
export function fromLocalTime(zone: TimeZone, year: number, month: number, day: number, hour = 0, minute = 0): number {
  const wallClock = Date.UTC(year, month - 1, day, hour, minute);
  return wallClock - zone.offsetMs(wallClock - zone.offsetMs(wallClock));
}
