import { humanDuration } from '@manta/api';

/** The time since a timestamp as kubectl shows ages; `<unknown>` without a timestamp. */
export function ageOf(timestamp: string | undefined, now: number): string {
  const then = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now - then);
}
