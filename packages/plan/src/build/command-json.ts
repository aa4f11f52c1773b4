/**
 * JSON in generated commands: sorted keys, nulls kept, and HTML characters escaped as Go's encoder does. The text must equal KubeRay's, so
 * that Jobs and pods of both operators do not differ.
 */
export function commandJson(value: unknown): string {
  return ordered(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${ordered(member)}`);
  return `{${members.join(',')}}`;
}
