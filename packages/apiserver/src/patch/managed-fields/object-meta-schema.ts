import type { Schema } from '../../object/schema.ts';

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

/** What every object has, whatever its schema says. */
export const identitySchemas: Readonly<Record<'apiVersion' | 'kind', Schema>> = { apiVersion: text, kind: text };
