import type { ConfigMap, KubeObject } from '@manta/api';
import { type ResourceType, resources } from '@manta/kube';

/** A custom resource that exists for this test only: so many children, please. */
export interface Toy extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

export const TOYS: ResourceType<Toy> = {
  group: 'test.manta.dev',
  version: 'v1',
  plural: 'toys',
  kind: 'Toy',
  isNamespaced: true,
};

export const CHILDREN: ResourceType<ConfigMap> = resources.configMaps;

/** Names the toy that a child belongs to. */
export const TOY_LABEL = 'test.manta.dev/toy';

/** Keeps a child for a while after it was deleted, as a grace period keeps a pod. */
export const LINGER = 'test.manta.dev/linger';

/** Where everything happens. */
export const NAMESPACE = 'default';

/** What the store calls them. */
export const STORED = { toys: 'test.manta.dev/toys', children: '/configmaps' } as const;

const integer = { type: 'integer', minimum: 0 };

/** The definition of a Toy. */
export const TOY_DEFINITION = {
  metadata: { name: 'toys.test.manta.dev' },
  spec: {
    group: TOYS.group,
    scope: 'Namespaced',
    names: { plural: 'toys', singular: 'toy', kind: 'Toy', listKind: 'ToyList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { replicas: integer } },
              status: { type: 'object', properties: { replicas: integer } },
            },
          },
        },
      },
    ],
  },
};
