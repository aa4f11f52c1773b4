/** A time in the format of API objects: whole seconds, UTC. Fractions are cut off, not rounded. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The milliseconds of a time in an API object; undefined if it is absent or invalid. */
export function millis(time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}
