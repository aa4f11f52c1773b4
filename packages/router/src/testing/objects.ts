import type { EndpointSlice, Service } from '@manta/api';
import type { BackendRef, Gateway, GatewayClass, HttpRoute, HttpRouteRule, Listener } from '../gateway/kinds.ts';
import { type Observed, serviceRecord, sliceRecord } from '../gateway/observed.ts';

const api = 'gateway.networking.k8s.io/v1';

/** A Gateway as RayServices have it. */
export function gatewayOf(
  name: string,
  options: { readonly className?: string; readonly listeners?: readonly Listener[] } = {},
): Gateway {
  return {
    apiVersion: api,
    kind: 'Gateway',
    metadata: { name, namespace: 'default', generation: 1 },
    spec: {
      gatewayClassName: options.className ?? 'manta',
      listeners: options.listeners ?? [{ name: 'http', protocol: 'HTTP', port: 80 }],
    },
  };
}

/** A route as RayServices have it: everything under `/`, to Services by weight. */
export function routeOf(
  name: string,
  gateway: string,
  backendRefs: readonly BackendRef[],
  more: Partial<NonNullable<HttpRoute['spec']>> = {},
): HttpRoute {
  const rules: readonly HttpRouteRule[] = [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs }];
  return {
    apiVersion: api,
    kind: 'HTTPRoute',
    metadata: { name, namespace: 'default', generation: 3, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { parentRefs: [{ name: gateway, namespace: 'default' }], rules, ...more },
  };
}

export function classOf(name: string, controllerName: string): GatewayClass {
  return { apiVersion: api, kind: 'GatewayClass', metadata: { name, generation: 1 }, spec: { controllerName } };
}

export function serviceOf(name: string, port = 8000, appProtocol?: string): Service {
  const ports = [{ name: 'serve', port, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'default' }, spec: { ports } };
}

/** A slice of a Service: each endpoint by its address and, where it is not simply ready, its conditions. */
export function sliceOf(
  service: string,
  endpoints: readonly (readonly [
    address: string,
    conditions?: NonNullable<EndpointSlice['endpoints']>[number]['conditions'],
  ])[],
  port = 8000,
): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { name: `${service}-x`, namespace: 'default', labels: { 'kubernetes.io/service-name': service } },
    ports: [{ name: 'serve', port }],
    endpoints: endpoints.map(([address, conditions]) => ({
      addresses: [address],
      ...(conditions === undefined ? {} : { conditions }),
    })),
  };
}

/** What a cluster with these objects looks like to the router. */
export function observedOf(content: {
  readonly classes?: readonly GatewayClass[];
  readonly gateways?: readonly Gateway[];
  readonly routes?: readonly HttpRoute[];
  readonly services?: readonly Service[];
  readonly slices?: readonly EndpointSlice[];
}): Observed {
  const { classes, gateways = [], routes = [], services = [], slices = [] } = content;
  const found = (name: string) => services.find(({ metadata }) => metadata?.name === name);
  return {
    classes,
    gateways,
    routes,
    service(namespace, name) {
      const service = namespace === 'default' ? found(name) : undefined;
      return service === undefined ? undefined : serviceRecord(service);
    },
    slices: (namespace, name) =>
      slices.map(sliceRecord).filter(({ service }) => namespace === 'default' && service === name),
  };
}
