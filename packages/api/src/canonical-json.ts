/** JSON with the keys of every object in one order, so that equal values give equal text. `null` and absent are the same. */
export function canonicalJson(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  let members = '';
  for (const key of Object.keys(value).toSorted()) {
    const member: unknown = Reflect.get(value, key);
    if (member === null || member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** Whether two values have the same canonical text, found out without making it. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === null || a === undefined || b === null || b === undefined) return (a ?? null) === (b ?? null);
  if (typeof a !== 'object' || typeof b !== 'object') return canonicalJson(a) === canonicalJson(b);
  if (!Array.isArray(a) && !Array.isArray(b)) return hasSameMembers(a, b);
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((element, index) => isSameJson(element, b[index]));
}

function hasSameMembers(a: object, b: object): boolean {
  return Object.keys(a).every((key) => isSameJson(memberOf(a, key), memberOf(b, key))) && hasAllOf(a, b);
}

/** Whether `a` has what `b` has, of whatever value. */
function hasAllOf(a: object, b: object): boolean {
  return Object.keys(b).every((key) => memberOf(b, key) === undefined || memberOf(a, key) !== undefined);
}

function memberOf(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (Reflect.get(object, key) ?? undefined) : undefined;
}
