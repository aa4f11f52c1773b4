import type { LogFields } from '../logger.ts';
import { levelName } from './level.ts';
import { safeJson } from './safe-json.ts';

/** One log line before it is written. */
export interface LogEntry {
  readonly level: number;
  readonly timeMs: number;
  /** Dotted, empty for the root. */
  readonly logger: string;
  readonly message: string;
  /** The fields as JSON members, `,"a":1,"b":2`, as {@link encodeFields} makes them. */
  readonly fields: string;
  readonly stacktrace: string | undefined;
}

/** Entry to text, line end included. */
export type LogEncoder = (entry: LogEntry) => string;

/** One JSON object a line, with zap's keys in zap's order. */
export const encodeJson: LogEncoder = ({ level, timeMs, logger, message, fields, stacktrace }) => {
  const name = logger === '' ? '' : `,"logger":${safeJson(logger)}`;
  const stack = stacktrace === undefined ? '' : `,"stacktrace":${safeJson(stacktrace)}`;
  return `{"level":"${levelName(level)}","ts":"${isoTime(timeMs)}"${name},"msg":${safeJson(message)}${fields}${stack}}\n`;
};

/** For people: time, level, logger, message and fields, tab separated; the stack trace on lines of its own. */
export const encodeConsole: LogEncoder = ({ level, timeMs, logger, message, fields, stacktrace }) => {
  const name = logger === '' ? '' : `\t${logger}`;
  const context = fields === '' ? '' : `\t{${fields.slice(1)}}`;
  const stack = stacktrace === undefined ? '' : `\n${stacktrace}`;
  return `${isoTime(timeMs)}\t${levelName(level)}${name}\t${message}${context}${stack}\n`;
};

/** Keys that every line has; a field of that name gets a trailing underscore, so that no line has a key twice. */
const TAKEN: ReadonlySet<string> = new Set(['level', 'ts', 'logger', 'msg', 'stacktrace']);
/** The same where the line says `error` itself, or may do so later. */
const TAKEN_WITH_ERROR: ReadonlySet<string> = new Set([...TAKEN, 'error']);

/** Fields as JSON members with a leading comma each; never throws. */
export function encodeFields(fields: LogFields | undefined, mayHaveError: boolean): string {
  const taken = mayHaveError ? TAKEN_WITH_ERROR : TAKEN;
  let text = '';
  for (const key in fields) {
    if (Object.hasOwn(fields, key)) text += `,${safeJson(taken.has(key) ? `${key}_` : key)}:${readField(fields, key)}`;
  }
  return text;
}

function readField(fields: LogFields, key: string): string {
  try {
    return safeJson(fields[key]);
  } catch {
    return '"[unreadable]"';
  }
}

/** ISO 8601 in UTC with milliseconds, `2026-08-01T12:00:00.000Z`. */
function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
