import type { ResolveSchema, Schema } from '../../object/schema.ts';
import { type MergeType, mergeType } from './merge-type.ts';
import { identitySchemas, objectMetaSchema } from './object-meta-schema.ts';

const completed = new WeakMap<Schema, Schema>();

/** The type of a kind's objects, with `metadata` typed and identity fields known even where a CRD's schema leaves them out. */
export function objectType(schema: Schema, resolve: ResolveSchema): MergeType {
  const known = completed.get(schema);
  if (known !== undefined) return mergeType(known, resolve);
  const complete = completeSchema(resolve(schema));
  completed.set(schema, complete);
  return mergeType(complete, resolve);
}

function completeSchema(schema: Schema): Schema {
  const metadata = schema.properties?.['metadata'];
  const isTyped = metadata?.$ref !== undefined || metadata?.allOf !== undefined;
  return {
    ...schema,
    type: 'object',
    properties: {
      ...schema.properties,
      ...identitySchemas,
      metadata: isTyped ? metadata : objectMetaSchema,
    },
  };
}
