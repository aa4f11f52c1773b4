/** Structural equality of JSON values; a key whose value is undefined counts as absent. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  }
  return isSubset(a, b) && isSubset(b, a);
}

/** Every key of `a` has an equal value in `b`. */
function isSubset(a: object, b: object): boolean {
  const other = new Map<string, unknown>(Object.entries(b));
  return Object.entries(a).every(([key, value]) => value === undefined || deepEqual(value, other.get(key)));
}
