const known = new WeakMap<object, number>();

/** What comparing a value costs at most: one unit for each part of it, and one for each hundred characters. */
export function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 100;
  if (typeof value !== 'object' || value === null) return 1;
  let size = known.get(value);
  if (size === undefined) {
    size = Object.values(value).reduce((sum: number, part: unknown) => sum + sizeOfValue(part), 1);
    known.set(value, size);
  }
  return size;
}
