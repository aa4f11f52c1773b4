import type { EndpointSlice, Pod, Service } from '@manta/api';
import type { Stored } from '@manta/controllers';
import { clusterIpOf } from '../network/service-routes.ts';

/** What names are resolved from: every Service and where its pods are. */
export interface NameSources {
  readonly services: readonly Stored<Service>[];
  readonly slices: readonly Stored<EndpointSlice>[];
  /** The address under which pods reach the API server. */
  readonly apiServer: string;
}

const DOMAIN = 'svc.cluster.local';

/**
 * The `/etc/hosts` of a pod. A Service's name leads to its own address, from where connections go on to pods. Where it has none, and where
 * it has ports that are not TCP's, which go nowhere from there, it leads straight to a pod: the first that is ready, or, where the Service
 * publishes them, the first there is.
 */
export function hostsText(pod: Pod, ip: string, sources: NameSources): string {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  const own = [
    '127.0.0.1 localhost',
    '::1 localhost ip6-localhost ip6-loopback',
    `${ip} ${pod.spec?.hostname ?? name}`,
    `${sources.apiServer} kubernetes.default.svc kubernetes.default.${DOMAIN} kubernetes.default kubernetes`,
  ];
  const names = sources.services.flatMap((service) => serviceLines(service, sources, namespace));
  return `${[...own, ...names].join('\n')}\n`;
}

function serviceLines(service: Stored<Service>, { slices }: NameSources, from: string): readonly string[] {
  const { name, namespace = '' } = service.metadata;
  // The API server has its line, with or without namespaces.
  if (name === 'kubernetes' && namespace === 'default') return [];
  const isOwn = ({ metadata }: Stored<EndpointSlice>) =>
    metadata.namespace === namespace && metadata.labels?.['kubernetes.io/service-name'] === name;
  const address = ownAddress(service) ?? addressOf(slices.filter(isOwn));
  if (address === undefined) return [];
  const aliases = [`${name}.${namespace}.${DOMAIN}`, `${name}.${namespace}.svc`, `${name}.${namespace}`];
  return [`${address} ${[...aliases, ...(namespace === from ? [name] : [])].join(' ')}`];
}

function ownAddress(service: Service): string | undefined {
  const isAllTcp = service.spec?.ports?.every(({ protocol = 'TCP' }) => protocol === 'TCP') === true;
  return isAllTcp ? clusterIpOf(service) : undefined;
}

/** The address of a pod behind a Service; undefined while there is none. */
export function addressOf(slices: readonly EndpointSlice[]): string | undefined {
  const endpoints = slices.flatMap(({ endpoints: list }) => list ?? []);
  const ready = endpoints.find(({ conditions }) => conditions?.ready !== false);
  return ready?.addresses[0];
}
