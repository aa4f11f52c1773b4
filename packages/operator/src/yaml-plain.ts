/** Mappings as objects; keys of other kinds become text, and numbers are as exact as a float is, as in JSON. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [String(key), toPlain(each)]));
  if (typeof value === 'bigint') return Number(value);
  return Array.isArray(value) ? value.map(toPlain) : value;
}
