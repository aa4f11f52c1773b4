import type { Schema } from '../../packages/apiserver/src/object/schema.ts';
import type { PlaneClient } from '../support/control-plane.ts';
import { customTwin, type TwinKind } from './patch-twin.ts';

const named: Schema = {
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, value: { type: 'string' } } },
};

const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        list: { ...named, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        plainList: named,
        set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        atomicMap: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
        either: { 'x-kubernetes-int-or-string': true },
        anything: { 'x-kubernetes-preserve-unknown-fields': true },
        part: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: { type: 'string' } } } },
        },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
  },
};

const name = 'widgets.patch.example.com';

/** A kind with every sort of list and map, known and unknown, and no status subresource. */
export const widgets: TwinKind = customTwin({
  group: 'patch.example.com',
  kind: 'Widget',
  name: 'v1',
  plural: 'widgets',
  schema,
  hasStatus: false,
});

/** Makes sure that the server serves widgets. */
export async function installWidgets(plane: PlaneClient): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await plane.request('POST', path, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: 'patch.example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  // An established kind is still not served for a moment; asking for its objects is the only way to know.
  for (let attempt = 0; attempt < 100; attempt++) {
    if ((await plane.request('GET', widgets.path('default'))).status === 200) return;
  }
  throw new Error('widgets are not served');
}
