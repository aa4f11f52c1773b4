/** Objects made from a CRD's schema, and the damage that may be done to them. */
import type { JSONSchemaProps } from '../core.gen.ts';

/** Something that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object that has every field of the schema, each list with one item and each map with one key. */
export function fullObject(schema: JSONSchemaProps): Json {
  if (schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties).map(([key, field]) => [key, fullObject(field)]));
  }
  if (typeof schema.additionalProperties === 'object') return { key: fullObject(schema.additionalProperties) };
  if (schema.items) return [schema.items].flat().map((item) => fullObject(item));
  const [choice] = schema.enum ?? [];
  return typeof choice === 'string' ? choice : scalarOf(schema.type);
}

function scalarOf(type: string | undefined): Json {
  switch (type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return 1;
    case 'object':
      return {};
    default:
      return 'text';
  }
}

/** One wound: at each level the turn picks a child; at the end the value is replaced, or removed where it is undefined. */
export interface Damage {
  readonly turns: readonly number[];
  readonly value: Json | undefined;
}

/** A copy with the damage done. */
export function damaged(object: Json, { turns, value }: Damage): Json {
  const [turn = 0, ...rest] = turns;
  if (typeof object !== 'object' || object === null) return value ?? null;
  const keys = Object.keys(object);
  const key = keys[turn % Math.max(keys.length, 1)];
  if (turns.length === 0 || key === undefined) return value ?? null;
  if (Array.isArray(object)) {
    const items: readonly Json[] = object;
    if (rest.length === 0 && value === undefined) return items.filter((_, index) => String(index) !== key);
    return items.map((item, index) => (String(index) === key ? damaged(item, { turns: rest, value }) : item));
  }
  const fields = Object.entries(object);
  if (rest.length === 0 && value === undefined) return Object.fromEntries(fields.filter(([name]) => name !== key));
  return Object.fromEntries(
    fields.map(([name, field]) => [name, name === key ? damaged(field, { turns: rest, value }) : field]),
  );
}
