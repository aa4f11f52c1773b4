import type { EndpointSlice, Service } from '@manta/api';
import { deepEqual, addressPool, numberToAddress, SERVICE_CIDR } from '@manta/apiserver';
import { type Cluster, nameOf, readOne } from '../framework/cluster.ts';
import type { Controller } from '../framework/controller.ts';
import { type Endpoints, endpointSlices, endpoints, services } from '../framework/kinds.ts';

const NAMESPACE = 'default';
const NAME = 'kubernetes';
const HTTPS = { name: 'https', protocol: 'TCP' } as const;

/** The address of the Service that leads to the API server. */
export const KUBERNETES_ADDRESS = numberToAddress(addressPool(SERVICE_CIDR).first);

/** Where pods reach the API server. */
export interface ApiServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Keeps the Service by which programs find the API server; one that was deleted is made again. */
export function kubernetesService(cluster: Cluster): Controller {
  const { store, writes } = cluster;
  return keeper('kubernetes-service', [nameOf(services)], async () => {
    if (readOne(store, services, NAMESPACE, NAME) !== undefined) return;
    const service: Service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NAME, namespace: NAMESPACE, labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: { clusterIP: KUBERNETES_ADDRESS, ports: [{ ...HTTPS, port: 443, targetPort: 6443 }] },
    };
    await writes.create(services, service).catch(async (error: unknown) => {
      const isTaken = error instanceof Error && error.message.includes('already allocated');
      if (!isTaken) throw error;
      // An existing Service has the address, e.g. in an old data directory: use another one.
      await writes.create(services, { ...service, spec: { ...service.spec, clusterIP: '' } });
    });
  });
}

/** Keeps the endpoint of that Service. */
export function kubernetesEndpoints({ store, writes }: Cluster, { host, port }: ApiServerAddress): Controller {
  const ports = [{ ...HTTPS, port }];
  const slice: EndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: NAME, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [host], conditions: { ready: true } }],
    ports,
  };
  const old: Endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: NAME, namespace: NAMESPACE, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: host }], ports }],
  };
  return keeper('kubernetes-endpoints', [endpointSlices, endpoints, services].map(nameOf), async () => {
    const slices = readOne(store, endpointSlices, NAMESPACE, NAME);
    if (slices === undefined) await writes.create(endpointSlices, slice);
    else if (!deepEqual([slices.endpoints, slices.ports], [slice.endpoints, slice.ports]))
      await writes.update(endpointSlices, { ...slices, ...slice, metadata: slices.metadata });
    const subsets = readOne(store, endpoints, NAMESPACE, NAME);
    if (subsets === undefined) await writes.create(endpoints, old);
    else if (!deepEqual(subsets.subsets, old.subsets))
      await writes.update(endpoints, { ...subsets, subsets: old.subsets ?? [] });
  });
}

function keeper(name: string, watches: NonNullable<Controller['watches']>, keep: () => Promise<void>): Controller {
  return {
    name,
    watches,
    started: (enqueue) => enqueue(NAME),
    keysOf: ({ key }) => (key.namespace === NAMESPACE && key.name === NAME ? [NAME] : []),
    reconcile: async () => {
      await keep();
      return undefined;
    },
  };
}
