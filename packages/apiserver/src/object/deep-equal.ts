/** Structural equality of JSON values; a key whose value is undefined counts as absent. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  }
  return sameEntries(record(a), record(b));
}

/** Each pair of values is compared once: asking in both directions would double the work at every level of depth. */
function sameEntries(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  for (const key of Object.keys(a)) {
    if (!deepEqual(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false;
  }
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key) && b[key] !== undefined) return false;
  return true;
}

/** Any object, seen as one with text keys. */
function record(value: object): Readonly<Record<string, unknown>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return value as Readonly<Record<string, unknown>>;
}
