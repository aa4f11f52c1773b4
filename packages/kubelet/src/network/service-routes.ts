import type { EndpointSlice, Service } from '@manta/api';
import type { Stored } from '@manta/controllers';
import type { BalancedPort, Target } from './balancer.ts';

/** A Service, and the pods behind each of its TCP ports. */
export interface ServiceRoute {
  readonly service: Stored<Service>;
  /** Undefined where it has none: it is headless, or a name for something else. */
  readonly clusterIp: string | undefined;
  readonly ports: readonly PortRoute[];
}

export interface PortRoute {
  readonly name: string;
  readonly port: number;
  readonly nodePort: number | undefined;
  /** Those that take connections; while none is ready, those that serve until they end. */
  readonly targets: readonly Target[];
}

const SERVICE_NAME = 'kubernetes.io/service-name';

/** Where every Service leads. */
export function serviceRoutes(
  services: readonly Stored<Service>[],
  slices: readonly Stored<EndpointSlice>[],
): readonly ServiceRoute[] {
  const byService = Map.groupBy(
    slices.filter(({ addressType }) => addressType === 'IPv4'),
    ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME]}`,
  );
  return services.map((service) => {
    const own = byService.get(`${service.metadata.namespace}/${service.metadata.name}`) ?? [];
    const ports = (service.spec?.ports ?? []).flatMap(({ name = '', port, nodePort, protocol = 'TCP' }) =>
      protocol === 'TCP' ? [{ name, port, nodePort, targets: targetsOf(own, name) }] : [],
    );
    return { service, clusterIp: clusterIpOf(service), ports };
  });
}

/** The address that a Service has of its own; undefined where it has none. */
export function clusterIpOf({ spec }: Service): string | undefined {
  const { clusterIP = '' } = spec ?? {};
  return clusterIP === '' || clusterIP === 'None' ? undefined : clusterIP;
}

/** The ports of Services' own addresses. */
export function clusterIpPorts(routes: readonly ServiceRoute[]): readonly BalancedPort[] {
  return routes.flatMap(({ clusterIp, ports }) =>
    clusterIp === undefined ? [] : ports.map(({ port, targets }) => ({ host: clusterIp, port, targets })),
  );
}

function targetsOf(slices: readonly EndpointSlice[], name: string): readonly Target[] {
  const all = slices.flatMap(({ endpoints, ports }) => {
    const port = ports?.find((each) => (each.name ?? '') === name && (each.protocol ?? 'TCP') === 'TCP')?.port;
    if (port === undefined) return [];
    return (endpoints ?? []).flatMap(({ addresses: [ip], conditions }) =>
      ip === undefined ? [] : [{ target: { ip, port }, conditions }],
    );
  });
  const ready = all.filter(({ conditions }) => conditions?.ready !== false);
  const chosen = ready.length > 0 ? ready : all.filter(({ conditions }) => conditions?.serving === true);
  return chosen.map(({ target }) => target);
}
