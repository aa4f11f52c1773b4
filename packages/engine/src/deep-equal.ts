/** Structural equality of JSON values; a key whose value is undefined counts as absent. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  }
  return sameEntries(a, b);
}

/** Each pair of values is compared once: asking in both directions would double the work at every level of depth. */
function sameEntries(a: object, b: object): boolean {
  const other = new Map<string, unknown>(Object.entries(b));
  for (const [key, value] of Object.entries(a)) {
    if (!deepEqual(value, other.get(key))) return false;
    other.delete(key);
  }
  for (const value of other.values()) if (value !== undefined) return false;
  return true;
}
