/**
 * JSON as it stands in a command that we generate: keys in order, nulls kept, and the characters that HTML treats specially escaped, since
 * the text that other implementations make has them so and a Job or a pod must not differ by them.
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
