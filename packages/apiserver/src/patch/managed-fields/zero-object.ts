import type { Json, JsonObject } from '../../object/json.ts';
import type { ResolveSchema, Schema } from '../../object/schema.ts';

/**
 * What an object of a built-in kind is before anything is set: its structs are there, empty, and so are the lists that it must have. Whoever
 * creates the object does not own those. Custom resources begin with nothing.
 */
export function zeroObject(schema: Schema, resolve: ResolveSchema): JsonObject {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const object = make(schema, resolve);
  made.set(schema, object);
  return object;
}

const made = new WeakMap<Schema, JsonObject>();

function make(schema: Schema, resolve: ResolveSchema): JsonObject {
  const { properties, required } = resolve(schema);
  const fields = Object.entries(properties ?? {}).flatMap(([name, field]): [string, Json][] => {
    const reference = field.$ref === undefined ? field.allOf?.find((part) => part.$ref !== undefined) : field;
    if (reference !== undefined) return field.default === undefined ? [] : [[name, zeroObject(reference, resolve)]];
    return field.type === 'array' && required?.includes(name) === true ? [[name, null]] : [];
  });
  return Object.fromEntries(fields);
}
