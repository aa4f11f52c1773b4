import type { EndpointSlice, Secret, Service } from '@manta/api';
import type {
  BackendRef,
  Gateway,
  GatewayClass,
  HttpRoute,
  HttpRouteRule,
  Listener,
  ReferenceGrant,
} from '../gateway/kinds.ts';
import { certificateRecord, type Observed, serviceRecord, sliceRecord } from '../gateway/observed.ts';

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

export function serviceOf(name: string, port = 8000, appProtocol?: string, namespace = 'default'): Service {
  const ports = [{ name: 'serve', port, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { ports } };
}

/** A slice of a Service: each endpoint by its address and, where it is not simply ready, its conditions. */
export function sliceOf(
  service: string,
  endpoints: readonly (readonly [
    address: string,
    conditions?: NonNullable<EndpointSlice['endpoints']>[number]['conditions'],
  ])[],
  port = 8000,
  namespace = 'default',
): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { name: `${service}-x`, namespace, labels: { 'kubernetes.io/service-name': service } },
    ports: [{ name: 'serve', port }],
    endpoints: endpoints.map(([address, conditions]) => ({
      addresses: [address],
      ...(conditions === undefined ? {} : { conditions }),
    })),
  };
}

/** Lets this kind of that namespace refer to a kind of another one. */
export function grantOf(
  namespace: string,
  from: { readonly kind: string; readonly namespace: string },
  to: { readonly kind: string; readonly name?: string },
): ReferenceGrant {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1beta1',
    kind: 'ReferenceGrant',
    metadata: { name: 'grant', namespace },
    spec: { from: [{ group: 'gateway.networking.k8s.io', ...from }], to: [{ group: '', ...to }] },
  };
}

/** A Secret with a certificate. */
export function secretOf(
  name: string,
  pair: { readonly cert: string; readonly key: string },
  namespace = 'default',
): Secret {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(pair.cert), 'tls.key': base64(pair.key) },
  };
}

/** What a cluster with these objects looks like to the router. */
export function observedOf(content: {
  readonly classes?: readonly GatewayClass[];
  readonly gateways?: readonly Gateway[];
  readonly routes?: readonly HttpRoute[];
  readonly services?: readonly Service[];
  readonly slices?: readonly EndpointSlice[];
  readonly secrets?: readonly Secret[];
  readonly certificatesProblem?: string;
  readonly grants?: readonly ReferenceGrant[];
}): Observed {
  const { classes, gateways = [], routes = [], services = [], slices = [], secrets = [], grants = [] } = content;
  const isAt = (namespace: string, { metadata }: { readonly metadata?: Service['metadata'] }) =>
    metadata?.namespace === namespace;
  const find = <T extends { readonly metadata?: Service['metadata'] }>(
    all: readonly T[],
    namespace: string,
    name: string,
  ) => all.find((one) => isAt(namespace, one) && one.metadata?.name === name);
  return {
    classes,
    gateways,
    routes,
    service(namespace, name) {
      const service = find(services, namespace, name);
      return service === undefined ? undefined : serviceRecord(service);
    },
    slices: (namespace, name) =>
      slices
        .filter((slice) => isAt(namespace, slice))
        .map(sliceRecord)
        .filter(({ service }) => service === name),
    certificate(namespace, name) {
      if (content.certificatesProblem !== undefined) return { kind: 'unreadable', why: content.certificatesProblem };
      const secret = find(secrets, namespace, name);
      return secret === undefined ? { kind: 'absent' } : { kind: 'found', record: certificateRecord(secret) };
    },
    grants: (namespace) => grants.filter((grant) => isAt(namespace, grant)),
  };
}
