import { NS_PER_SECOND, parseDuration } from './duration.ts';
import { parseGoInt } from './go-int.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';

/** When something is due: at times that match five fields, or again and again after the same delay. */
export type CronSchedule = FieldSchedule | EverySchedule;

/** The times whose fields are in all sets. */
export interface FieldSchedule {
  readonly kind: 'fields';
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** Both day fields are restricted (neither holds `*` or `?`): a day needs to match only one of them. */
  readonly eitherDayMatches: boolean;
}

export interface EverySchedule {
  readonly kind: 'every';
  /** At least 1. */
  readonly delaySeconds: number;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Names of the values, in order from `min` on. */
  readonly names: readonly string[];
}

interface Field {
  readonly values: ReadonlySet<number>;
  readonly isStar: boolean;
}

const MINUTES: Bounds = { min: 0, max: 59, names: [] };
const HOURS: Bounds = { min: 0, max: 23, names: [] };
const DAYS_OF_MONTH: Bounds = { min: 1, max: 31, names: [] };
const MONTHS: Bounds = {
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const DAYS_OF_WEEK: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };
const BOUNDS = [MINUTES, HOURS, DAYS_OF_MONTH, MONTHS, DAYS_OF_WEEK] as const;

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const EVERY = '@every ';
/** What Go takes for a blank; JavaScript's `\s` differs a little. */
const BLANKS = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;

/**
 * Reads a schedule: five fields (minute, hour, day of month, month, day of week) with `*`, `?`, lists, ranges, steps and
 * English names, or `@hourly` and its like, or `@every <duration>`. Error texts are those that users know from upstream.
 */
export function parseCron(text: string): Parsed<CronSchedule> {
  if (text === '') return unparsed('empty spec string');
  if (text.startsWith('@')) return parseDescriptor(text);
  const texts = text.split(BLANKS).filter((field) => field !== '');
  if (texts.length !== BOUNDS.length) {
    return unparsed(`expected exactly ${BOUNDS.length} fields, found ${texts.length}: [${texts.join(' ')}]`);
  }
  const fields: Field[] = [];
  for (const [i, bounds] of BOUNDS.entries()) {
    const field = parseField(texts[i] ?? '', bounds);
    if (!field.ok) return field;
    fields.push(field.value);
  }
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = fields;
  return parsed({
    kind: 'fields',
    minutes: valuesOf(minutes),
    hours: valuesOf(hours),
    daysOfMonth: valuesOf(daysOfMonth),
    months: valuesOf(months),
    daysOfWeek: valuesOf(daysOfWeek),
    eitherDayMatches: daysOfMonth?.isStar === false && daysOfWeek?.isStar === false,
  });
}

function valuesOf(field: Field | undefined): ReadonlySet<number> {
  return field?.values ?? new Set();
}

function parseDescriptor(text: string): Parsed<CronSchedule> {
  const fields = DESCRIPTORS.get(text);
  if (fields !== undefined) return parseCron(fields);
  if (!text.startsWith(EVERY)) return unparsed(`unrecognized descriptor: ${text}`);
  const duration = parseDuration(text.slice(EVERY.length));
  if (!duration.ok) return unparsed(`failed to parse duration ${text}: ${duration.error}`);
  const seconds = Number(duration.value / NS_PER_SECOND);
  return parsed({ kind: 'every', delaySeconds: Math.max(seconds, 1) });
}

/** A list without items matches nothing, which is what upstream makes of a lone comma. */
function parseField(text: string, bounds: Bounds): Parsed<Field> {
  const values = new Set<number>();
  let isStar = false;
  for (const item of text.split(',')) {
    if (item === '') continue;
    const range = parseRange(item, bounds);
    if (!range.ok) return range;
    for (const value of range.value.values) values.add(value);
    isStar ||= range.value.isStar;
  }
  return parsed({ values, isStar });
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly isStar: boolean;
}

function parseRange(text: string, bounds: Bounds): Parsed<Field> {
  const [rangeText = '', stepText, ...moreSteps] = text.split('/');
  const range = parseStartAndEnd(text, rangeText, bounds);
  if (!range.ok) return range;
  if (moreSteps.length > 0) return unparsed(`too many slashes: ${text}`);
  const step = stepText === undefined ? parsed(1) : parseNumber(stepText);
  if (!step.ok) return step;
  const { start, isStar } = range.value;
  const reachesMax = stepText !== undefined && !rangeText.includes('-');
  const end = reachesMax ? bounds.max : range.value.end;
  if (start < bounds.min) return unparsed(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  if (end > bounds.max) return unparsed(`end of range (${end}) above maximum (${bounds.max}): ${text}`);
  if (start > end) return unparsed(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step.value === 0) return unparsed(`step of range should be a positive number: ${text}`);
  const values = new Set<number>();
  for (let value = start; value <= end; value += step.value) values.add(value);
  return parsed({ values, isStar: isStar && step.value === 1 });
}

function parseStartAndEnd(text: string, rangeText: string, bounds: Bounds): Parsed<Range> {
  const [low = '', high, ...more] = rangeText.split('-');
  if (low === '*' || low === '?') return parsed({ start: bounds.min, end: bounds.max, isStar: true });
  const start = parseValue(low, bounds);
  if (!start.ok) return start;
  if (high === undefined) return parsed({ start: start.value, end: start.value, isStar: false });
  if (more.length > 0) return unparsed(`too many hyphens: ${text}`);
  const end = parseValue(high, bounds);
  return end.ok ? parsed({ start: start.value, end: end.value, isStar: false }) : end;
}

function parseValue(text: string, bounds: Bounds): Parsed<number> {
  const named = bounds.names.indexOf(text.toLowerCase());
  return named >= 0 ? parsed(bounds.min + named) : parseNumber(text);
}

function parseNumber(text: string): Parsed<number> {
  const number = parseGoInt(text);
  if (!number.ok) return unparsed(`failed to parse int from ${text}: ${number.error}`);
  return number.value < 0 ? unparsed(`negative number (${number.value}) not allowed: ${text}`) : number;
}
