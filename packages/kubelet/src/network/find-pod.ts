import type { Pod } from '@manta/api';
import { type Cluster, readAll, readOne, type Stored, endpointSlices, pods, services } from '@manta/controllers';
import { addressOf } from '../environment/hosts.ts';
import { clusterIpOf } from './service-routes.ts';

/** The target of a connection: a pod and one of its ports. */
export interface Destination {
  readonly pod: Stored<Pod>;
  readonly port: number;
}

/** The pod behind a host name or address and a port, resolved as within a pod; undefined if there is none. */
export function findDestination(
  { store }: Pick<Cluster, 'store'>,
  host: string,
  port: number,
): Destination | undefined {
  const named = serviceOf(host);
  const service =
    named === undefined
      ? readAll(store, services).find((each) => clusterIpOf(each) === host)
      : readOne(store, services, named.namespace, named.name);
  if (service === undefined) return named === undefined ? byAddress(store, host, port) : undefined;
  const slices = readAll(store, endpointSlices, service.metadata.namespace).filter(
    ({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service.metadata.name,
  );
  const address = addressOf(slices);
  if (address === undefined) return undefined;
  const own = service.spec?.ports?.find((each) => each.port === port);
  const inSlice = slices.flatMap(({ ports }) => ports ?? []).find(({ name = '' }) => name === (own?.name ?? ''));
  return byAddress(store, address, service.spec?.clusterIP === 'None' ? port : (inSlice?.port ?? port));
}

function serviceOf(host: string): { readonly name: string; readonly namespace: string } | undefined {
  const [name = '', namespace = '', svc = ''] = host.split('.');
  return svc === 'svc' ? { name, namespace } : undefined;
}

function byAddress(store: Cluster['store'], ip: string, port: number): Destination | undefined {
  const pod = readAll(store, pods).find(({ status }) => status?.podIP === ip && isAlive(status.phase));
  return pod === undefined ? undefined : { pod, port };
}

function isAlive(phase: string | undefined): boolean {
  return phase !== 'Succeeded' && phase !== 'Failed';
}
