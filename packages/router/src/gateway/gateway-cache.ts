import type { KubeObject, ObjectMeta } from '@manta/api';
import { resources } from '@manta/kube';
import { createInformer, type Informer, toKey, type World } from '@manta/runtime';
import {
  type Gateway,
  type GatewayClass,
  gatewayClasses,
  gateways,
  type HttpRoute,
  httpRoutes,
  type ReferenceGrant,
  referenceGrants,
} from './kinds.ts';
import {
  type Observed,
  SERVICE_NAME,
  type ServiceRecord,
  serviceRecord,
  type SliceRecord,
  sliceRecord,
} from './observed.ts';

/** Local copies of all that decides where requests go. */
export interface GatewayCache {
  readonly classes: Informer<GatewayClass>;
  readonly gateways: Informer<Gateway>;
  readonly routes: Informer<HttpRoute>;
  readonly services: Informer<ServiceRecord>;
  readonly slices: Informer<SliceRecord & { readonly namespace: string }, 'service'>;
  readonly grants: Informer<ReferenceGrant, 'namespace'>;
}

/** No namespaces: all of them. */
export function createGatewayCache(world: World, namespaces: readonly string[]): GatewayCache {
  return {
    classes: createInformer(world, { type: gatewayClasses, project: withoutManagedFields }),
    gateways: createInformer(world, { type: gateways, namespaces, project: withoutManagedFields }),
    routes: createInformer(world, { type: httpRoutes, namespaces, project: withoutManagedFields }),
    services: createInformer(world, { type: resources.services, namespaces, project: serviceRecord }),
    slices: createInformer(world, {
      type: resources.endpointSlices,
      namespaces,
      labelSelector: SERVICE_NAME,
      project: (slice) => ({ ...sliceRecord(slice), namespace: slice.metadata?.namespace ?? '' }),
      indexes: { service: ({ namespace, service }) => [toKey(namespace, service)] },
    }),
    grants: createInformer<ReferenceGrant, ReferenceGrant, 'namespace'>(world, {
      type: referenceGrants,
      namespaces,
      project: withoutManagedFields,
      indexes: { namespace: ({ metadata }) => [metadata?.namespace ?? ''] },
    }),
  };
}

/** Without these nothing can be decided. */
export function requiredInformers({ gateways: all, routes, services, slices }: GatewayCache): readonly Informer[] {
  return [all, routes, services, slices];
}

/** The router works without these if they are not installed or not permitted. */
export function optionalInformers({ classes, grants }: GatewayCache): readonly Informer[] {
  return [classes, grants];
}

/** What the copies show now: everything but certificates, which are watched one by one. */
export function observe(cache: GatewayCache): Omit<Observed, 'certificate'> {
  return {
    classes: cache.classes.isReady() ? [...cache.classes.records()] : undefined,
    gateways: [...cache.gateways.records()],
    routes: [...cache.routes.records()],
    service: (namespace, name) => cache.services.get(toKey(namespace, name)),
    slices: (namespace, name) => cache.slices.by('service', toKey(namespace, name)),
    grants: (namespace) => cache.grants.by('namespace', namespace),
  };
}

/** Half of an object, and of no use to us. */
function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata }: ObjectMeta & { readonly managedFields?: unknown } = object.metadata ?? {};
  return { ...object, metadata };
}
