const DECIMAL = /^(0|[1-9][0-9]*)$/;

/**
 * Orders two resourceVersions of one kind: negative, zero or positive as `a` is older, the same or newer. They are integers of any
 * length without leading zeros, so the longer is the greater; `undefined` where either is not such a number and nothing can be said.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** True when `seen` is certainly not older than `wanted`. */
export function hasReached(seen: string | undefined, wanted: string): boolean {
  if (seen === undefined) return false;
  const order = compareResourceVersions(seen, wanted);
  return order !== undefined && order >= 0;
}
