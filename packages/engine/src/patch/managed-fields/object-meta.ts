import type { ResolveSchema, Schema } from '../../schema.ts';
import { type MergeType, mergeType } from './merge-type.ts';

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'object', additionalProperties: text };
const time: Schema = { type: 'string', format: 'date-time' };
const count: Schema = { type: 'integer' };
const flag: Schema = { type: 'boolean' };

/** `metadata` as far as merging goes; a CRD's own schema says no more of it than that it is an object. */
export const objectMetaSchema: Schema = {
  type: 'object',
  properties: {
    annotations: texts,
    creationTimestamp: time,
    deletionGracePeriodSeconds: count,
    deletionTimestamp: time,
    finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' },
    generateName: text,
    generation: count,
    labels: texts,
    managedFields: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      'x-kubernetes-list-type': 'atomic',
    },
    name: text,
    namespace: text,
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          apiVersion: { type: 'string', default: '' },
          blockOwnerDeletion: flag,
          controller: flag,
          kind: { type: 'string', default: '' },
          name: { type: 'string', default: '' },
          uid: { type: 'string', default: '' },
        },
        'x-kubernetes-map-type': 'atomic',
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-merge-key': 'uid',
      'x-kubernetes-patch-strategy': 'merge',
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};

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
      apiVersion: text,
      kind: text,
      metadata: isTyped ? metadata : objectMetaSchema,
    },
  };
}
