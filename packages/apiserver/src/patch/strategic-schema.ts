import type { ResolveSchema, Schema } from '../object/schema.ts';

/** The schema of one field of an object. */
export function fieldSchema(schema: Schema, name: string, resolve: ResolveSchema): Schema {
  const { properties, additionalProperties } = resolve(schema);
  const known = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const field = known ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  return field === undefined ? {} : resolve(field);
}

/** How a field is merged: `merge`, `replace`, or as usual where it is empty. */
export function strategyOf(schema: Schema): string {
  const strategies = (schema['x-kubernetes-patch-strategy'] ?? '').split(',');
  return strategies.find((strategy) => strategy !== 'retainKeys') ?? '';
}

/** The field by which the items of a list are known; empty where they have none. */
export function mergeKeyOf(schema: Schema): string {
  return schema['x-kubernetes-patch-merge-key'] ?? '';
}
