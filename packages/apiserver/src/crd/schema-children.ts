import { isObject, type JsonObject } from '../object/json.ts';

/** A schema inside another one. */
export interface ChildSchema {
  readonly child: JsonObject;
  readonly at: string;
  /** The name of the property that it is the schema of; undefined for items and other values. */
  readonly property?: string;
  readonly isItem: boolean;
}

/** The schemas of the values that a value of this schema holds. */
export function childSchemas(schema: JsonObject, path: string): readonly ChildSchema[] {
  const { additionalProperties, items, properties } = schema;
  const others: ChildSchema[] = [];
  if (isObject(additionalProperties)) {
    others.push({ child: additionalProperties, at: `${path}.additionalProperties`, isItem: false });
  }
  for (const [property, child] of Object.entries(isObject(properties) ? properties : {})) {
    if (isObject(child)) others.push({ child, at: `${path}.properties[${property}]`, property, isItem: false });
  }
  if (isObject(items)) others.push({ child: items, at: `${path}.items`, isItem: true });
  return others;
}
