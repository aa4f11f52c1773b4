/** The value below which so many of a hundred lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((share / 100) * sorted.length))] ?? 0;
}

/** Requests that change something. */
export function countWrites(requests: Readonly<Record<string, number>>): number {
  return Object.entries(requests)
    .filter(([key]) => /^(create|update|patch|delete|deletecollection) /.test(key))
    .reduce((sum, [, count]) => sum + count, 0);
}

/** One level of a record, each key after a prefix. */
export function prefixed(prefix: string, figures: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [`${prefix}.${key}`, value]));
}
