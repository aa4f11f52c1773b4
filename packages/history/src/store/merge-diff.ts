type Json = unknown;
type JsonObject = Readonly<Record<string, Json>>;

/**
 * The JSON merge patch (RFC 7386) that turns `before` into `after`; undefined if they are equal. Both must be free of `null` values inside
 * objects, because a merge patch cannot express them: Kubernetes drops them, too.
 */
export function mergeDiff(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json> = Object.create(null);
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (isObject(old) && isObject(value)) {
      const inner = mergeDiff(old, value);
      if (inner !== undefined) patch[key] = inner;
    } else if (JSON.stringify(old) !== JSON.stringify(value)) patch[key] = value;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** `before` with the patch applied. */
export function applyMerge(before: JsonObject, patch: JsonObject): JsonObject {
  const after: Record<string, Json> = Object.assign(Object.create(null), before);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete after[key];
    else if (isObject(value)) after[key] = applyMerge(objectIn(before, key), value);
    else after[key] = value;
  }
  return after;
}

function objectIn(parent: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined;
  return isObject(value) ? value : {};
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
