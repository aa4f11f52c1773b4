type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The JSON merge patch (RFC 7386) that turns `from` into `to`, or undefined when they are equal. Lists are replaced whole; a field
 * that is undefined counts as absent. A null inside `to` can't be expressed by a merge patch: it removes the field.
 */
export function createMergePatch(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return isEqual(from, to) ? undefined : to;
  const patch: Record<string, unknown> = {};
  let isDifferent = false;
  for (const key of Object.keys(from)) {
    if (from[key] === undefined || own(to, key) !== undefined) continue;
    define(patch, key, null);
    isDifferent = true;
  }
  for (const key of Object.keys(to)) {
    if (to[key] === undefined) continue;
    const before = own(from, key);
    const change = before === undefined ? to[key] : createMergePatch(before, to[key]);
    if (change === undefined) continue;
    define(patch, key, change);
    isDifferent = true;
  }
  return isDifferent ? patch : undefined;
}

/** What the server makes of `target` when it is sent `patch` (RFC 7386). Neither is changed. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    if (patch[key] === undefined) continue;
    if (patch[key] === null) delete result[key];
    else define(result, key, applyMergePatch(own(result, key), patch[key]));
  }
  return result;
}

/** Not what `Object.prototype` has under that name. */
function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Plain assignment would lose a key named `__proto__`, which a free-form field may well have. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, i) => isEqual(item, other[i]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  return createMergePatch(one, other) === undefined;
}
