import type { Pod, Service } from '@manta/api';
import { deepEqual, hasLabels, type StoreEvent } from '@manta/apiserver';
import { type Cluster, joinKey, nameOf, readAll, readOne, type Stored, splitKey } from '../framework/cluster.ts';
import type { Controller } from '../framework/controller.ts';
import { type Endpoints, type EndpointSubset, endpoints, pods, services } from '../framework/kinds.ts';
import { isNotFound } from '../framework/refusal.ts';
import { endpointSubsets } from './endpoint-subsets.ts';
import { isSelecting, servicesOfPod } from './selecting.ts';

const HEADLESS = 'service.kubernetes.io/headless';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Keeps the Endpoints of every service that has a selector: what EndpointSlices have replaced, for those who still read them. */
export function endpointsController(cluster: Cluster): Controller {
  return {
    name: 'endpoints',
    watches: [services, pods, endpoints].map(nameOf),
    keysOf: (event) => keysOf(cluster, event),
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      const service = readOne(cluster.store, services, namespace, name);
      if (service === undefined) await remove(cluster, namespace, name);
      else if (isSelecting(service)) await write(cluster, service, endpointSubsets(service, podsOf(cluster, service)));
      return undefined;
    },
  };
}

/** Endpoints without a Service that selects pods are not changed. */
function keysOf({ store }: Cluster, { key, object, before, type }: StoreEvent): readonly string[] {
  const { resource, namespace, name } = key;
  if (resource === nameOf(services)) return [joinKey(namespace, name)];
  if (resource === nameOf(endpoints)) {
    return type === 'DELETED' && readOne(store, services, namespace, name) !== undefined
      ? [joinKey(namespace, name)]
      : [];
  }
  return servicesOfPod(store, namespace, object, before);
}

function podsOf({ store }: Cluster, { metadata, spec }: Stored<Service>): readonly Stored<Pod>[] {
  return readAll(store, pods, metadata.namespace).filter((pod) => hasLabels(pod.metadata.labels, spec?.selector ?? {}));
}

async function write({ store, writes }: Cluster, service: Stored<Service>, subsets: readonly EndpointSubset[]) {
  const { namespace = '', name, creationTimestamp } = service.metadata;
  const { [HEADLESS]: _own, ...own } = service.metadata.labels ?? {};
  const headless = service.spec?.clusterIP === 'None' ? { [HEADLESS]: '' } : {};
  const labels = { ...own, ...headless, [MANAGED_BY]: 'endpoint-controller' };
  const now = readOne(store, endpoints, namespace, name);
  if (now === undefined) {
    const annotations = { [TRIGGER_TIME]: creationTimestamp };
    const made: Endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name, namespace, labels, annotations } };
    await writes.create(endpoints, { ...made, ...(subsets.length === 0 ? {} : { subsets }) });
    return;
  }
  if (deepEqual(now.subsets ?? [], subsets) && deepEqual(now.metadata.labels, labels)) return;
  const { [TRIGGER_TIME]: _old, ...annotations } = now.metadata.annotations ?? {};
  await writes.update(endpoints, { ...now, metadata: { ...now.metadata, labels, annotations }, subsets });
}

async function remove({ store, writes }: Cluster, namespace: string, name: string): Promise<void> {
  if (readOne(store, endpoints, namespace, name) === undefined) return;
  try {
    await writes.delete(endpoints, { namespace, name });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
