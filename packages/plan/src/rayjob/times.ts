import type { Time } from '@manta/api';

/** `2006-01-02 15:04:05`: how messages write a moment. */
export function plainTime(time: Time | number): string {
  const text = new Date(time).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

/** The same with its zone, as users know it from the peer's deadline messages. */
export function zonedTime(time: Time | number): string {
  return `${plainTime(time)} +0000 UTC`;
}

/** Milliseconds until a moment that lies a number of seconds after another; undefined where either is not set. */
export function msUntil(from: Time | undefined, seconds: number | undefined, now: number): number | undefined {
  return from === undefined || seconds === undefined ? undefined : Date.parse(from) + seconds * 1000 - now;
}

/** What is left of a wait that began at some moment; nothing when that moment lies ahead, as it does after the clock was set back. */
export function msFromThen(then: number, waitMs: number, now: number): number {
  return then > now ? 0 : Math.max(0, then + waitMs - now);
}

/** The shortest of the waits that are still to come. */
export function soonest(...waits: readonly (number | undefined)[]): number | undefined {
  const coming = waits.filter((wait) => wait !== undefined && wait > 0);
  return coming.length === 0 ? undefined : Math.min(...coming.map((wait) => wait ?? 0));
}
