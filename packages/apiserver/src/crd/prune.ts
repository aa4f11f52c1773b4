import { dottedPath, type Step } from '../field/path.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { SchemaNode } from './node.ts';
import { mapList, mapObject, removed } from './rebuild.ts';

/** An object without what its schema does not know, and the paths of what it lost, sorted. */
export interface Pruned {
  readonly object: JsonObject;
  readonly dropped: readonly string[];
}

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Removes what the schema does not know; `apiVersion`, `kind` and `metadata` of the object always stay. */
export function prune(object: JsonObject, root: SchemaNode): Pruned {
  const dropped: string[] = [];
  const pruned = pruneValue(object, { ...root, isEmbedded: true }, [], dropped);
  const kept = isObject(pruned) ? pruned : object;
  return { object: kept, dropped: dropped.toSorted() };
}

function pruneValue(value: Json, node: SchemaNode | undefined, path: Step[], dropped: string[]): Json {
  if (node?.preservesUnknown === true) return keepUnknown(value, node, path, dropped);
  if (Array.isArray(value)) {
    return mapList(value, (item, index) => below(path, index, () => pruneValue(item, node?.items, path, dropped)));
  }
  if (!isObject(value)) return value;
  return mapObject(value, (child, key) => {
    if (node?.isEmbedded === true && metaFields.has(key)) return child;
    const property = node?.properties.get(key);
    if (property !== undefined || node?.allowsAdditional === true) {
      return below(path, key, () => pruneValue(child, property ?? node?.additional, path, dropped));
    }
    dropped.push(dottedPath([...path, key]));
    return removed;
  });
}

/** Where unknown fields are preserved, the content of known fields is still pruned. */
function keepUnknown(value: Json, node: SchemaNode | undefined, path: Step[], dropped: string[]): Json {
  if (node === undefined) return value;
  if (Array.isArray(value)) {
    return mapList(value, (item, index) => below(path, index, () => keepUnknown(item, node.items, path, dropped)));
  }
  if (!isObject(value)) return value;
  return mapObject(value, (child, key) => {
    if (node.isEmbedded && metaFields.has(key)) return child;
    const property = node.properties.get(key);
    if (property === undefined && !node.allowsAdditional) return child;
    return below(path, key, () => pruneValue(child, property ?? node.additional, path, dropped));
  });
}

function below(path: Step[], step: Step, visit: () => Json): Json {
  path.push(step);
  const result = visit();
  path.pop();
  return result;
}
