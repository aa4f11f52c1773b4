/**
 * A value as JSON may really hold it: any field may be absent or null, whatever the type promises. Where a value has the
 * wrong type altogether, the readers below treat it as not set.
 */
export type Loose<T> = T extends string | number | boolean | null | undefined
  ? T | null | undefined
  : T extends readonly (infer Item)[]
    ? readonly Loose<Item>[] | null | undefined
    : T extends object
      ? { readonly [Key in keyof T]?: Loose<T[Key]> } | null | undefined
      : unknown;

/** Is there a value? `null` counts as none. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The items, or none. */
export function listOf<Item>(value: readonly Item[] | null | undefined): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

/** The text, or the empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The number, if it is one. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && !Number.isNaN(value) ? value : undefined;
}

/** Is this a JSON object? */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keys of a map, in order of their code points; none where it isn't a map. */
export function keysOf(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value).toSorted() : [];
}

/** The text under a key of a map, or the empty one. */
export function textAt(map: unknown, key: string): string {
  return isRecord(map) && Object.hasOwn(map, key) ? textOf(map[key]) : '';
}
