/** Mappings as objects; keys of other kinds become text, and numbers are as exact as a float is, as in JSON. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [String(key), toPlain(each)]));
  if (typeof value === 'bigint') return Number(value);
  return Array.isArray(value) ? value.map(toPlain) : value;
}

/** The other way: objects as mappings, like the YAML parser gives them. */
export function toMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toMaps);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, each]: [string, unknown]) => [key, toMaps(each)]));
}
