import { NS_PER_MS, parseDuration } from '@manta/api';
import { InvalidArgumentError } from 'commander';

const MAX_INT32 = 2 ** 31 - 1;

/** Longest delay of a timer, 24 days; Node lets a longer one end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** `5m`, `1h30m`, `10s`, or a plain number of seconds, as kubectl reads them; in milliseconds. */
export function duration(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : millisecondsOf(text);
  if (ms === undefined || ms < 0)
    throw new InvalidArgumentError(`"${text}" is not a duration. Use e.g. 30s, 5m or 1h30m.`);
  return Math.min(ms, MAX_TIMER_MS);
}

function millisecondsOf(text: string): number | undefined {
  const parsed = parseDuration(text);
  return parsed.ok ? Number(parsed.value / NS_PER_MS) : undefined;
}

/** A whole number that fits a Kubernetes int32 field. */
export function int32(text: string): number {
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text) || Math.abs(value) > MAX_INT32)
    throw new InvalidArgumentError(`"${text}" is not a whole number. Use e.g. 3.`);
  return value;
}

/** A whole number of bytes, of any size. */
export function byteCount(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError(`"${text}" is not a number of bytes. Use e.g. 4294967296.`);
  return value;
}

/** A number, with decimals if need be. */
export function decimal(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError(`"${text}" is not a number.`);
  return value;
}

/** `key=value,other=value`; a flag that is repeated adds to what was given before. */
export function keyValues(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new InvalidArgumentError(`"${pair}" is not KEY=VALUE. Use e.g. app=ray,env=dev.`);
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return { ...before, ...Object.fromEntries(pairs) };
}
