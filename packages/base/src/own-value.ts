/**
 * The value that a map itself holds under a key; undefined if it holds none. `map[key]` with a key from outside also finds what every object
 * inherits: a label selector `valueOf` would match all objects. Engine code reads maps by foreign keys through this function only, which
 * `tests/repository/own-values.test.ts` checks.
 */
export function ownValue<T>(map: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined {
  return map !== null && map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}
