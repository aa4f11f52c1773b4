import { ownValue } from '@manta/base';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { childNode, type SchemaNode } from './node.ts';
import { mapList, mapObject, removed } from './rebuild.ts';

/** Fills in the defaults of a schema, and drops nulls that may not be and have no default. */
export function applyDefaults(object: JsonObject, root: SchemaNode): JsonObject {
  const dropped = dropNulls(object, root);
  return isObject(dropped) ? fillDefaults(dropped, root) : object;
}

/** Fills in the defaults of a schema; nulls stay. */
export function fillDefaults(object: JsonObject, root: SchemaNode): JsonObject {
  const filled = fill(object, root);
  return isObject(filled) ? filled : object;
}

function dropNulls(value: Json, node: SchemaNode | undefined): Json {
  if (Array.isArray(value)) return mapList(value, (item) => dropNulls(item, node?.items));
  if (!isObject(value)) return value;
  return mapObject(value, (child, key) => {
    const schema = childNode(node, key);
    if (child === null && isForbiddenNull(schema) && schema?.schema.default === undefined) return removed;
    return dropNulls(child, schema);
  });
}

function isForbiddenNull(node: SchemaNode | undefined): boolean {
  return node !== undefined && !node.isNullable;
}

function fill(value: Json, node: SchemaNode | undefined): Json {
  if (node === undefined || !node.below.defaults) return value;
  if (Array.isArray(value)) return mapList(value, (item) => fill(orDefault(item, node.items), node.items));
  if (!isObject(value)) return value;
  let object = value;
  for (const [name, property] of node.properties) {
    const standard = property.schema.default;
    if (standard === undefined || standard === null) continue;
    const current = ownValue(object, name);
    if (current === undefined || (current === null && !property.isNullable)) object = { ...object, [name]: standard };
  }
  return mapObject(object, (child, key) => {
    const property = node.properties.get(key);
    if (property !== undefined) return fill(child, property);
    return fill(orDefault(child, node.additional), node.additional);
  });
}

function orDefault(value: Json, node: SchemaNode | undefined): Json {
  return value === null && isForbiddenNull(node) ? (node?.schema.default ?? null) : value;
}
