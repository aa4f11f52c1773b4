import { ownValue } from '@manta/base';
import type { ResolveSchema, Schema } from '../object/schema.ts';
import { schemaTexts } from './schemas.gen.ts';

const parsed = new Map<string, Schema>();

/** The schema of a definition, by its full name: `io.k8s.api.core.v1.Pod`; undefined where there is none. */
export function builtinSchema(name: string): Schema | undefined {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const text = ownValue(schemaTexts, name);
  if (text === undefined) return undefined;
  const schema: Schema = JSON.parse(text);
  parsed.set(name, schema);
  return schema;
}

const merged = new WeakMap<Schema, Schema>();

/** Follows a reference; what stands beside it (a default, a merge key) counts more than what it refers to. */
export const resolveBuiltin: ResolveSchema = (schema) => {
  const { $ref, ...beside } = schema;
  if ($ref === undefined) return schema;
  const known = merged.get(schema);
  if (known !== undefined) return known;
  const target = builtinSchema($ref) ?? {};
  const { default: _, ...facets } = beside;
  const result = Object.keys(facets).length === 0 ? target : { ...target, ...beside };
  merged.set(schema, result);
  return result;
};
