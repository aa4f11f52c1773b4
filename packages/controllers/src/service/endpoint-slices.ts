import type { EndpointSlice, Service } from '@manta/api';
import { deepEqual, hasLabels, type StoreEvent } from '@manta/apiserver';
import { type Cluster, joinKey, nameOf, readAll, readOne, type Stored, splitKey } from '../framework/cluster.ts';
import type { Controller } from '../framework/controller.ts';
import { createEventRecorder } from '../framework/event-recorder.ts';
import { endpointSlices, nodes, pods, services } from '../framework/kinds.ts';
import { controllerReference } from '../framework/owner.ts';
import { isNotFound } from '../framework/refusal.ts';
import { type EndpointGroup, serviceTargets } from './endpoint-groups.ts';
import { isSelecting, keyOfService, servicesOfPod } from './selecting.ts';

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const MANAGER = 'endpointslice-controller.k8s.io';
const SERVICE_NAME = 'kubernetes.io/service-name';
const HEADLESS = 'service.kubernetes.io/headless';
const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';
const MAX_ENDPOINTS = 100;

type Labels = Readonly<Record<string, string>>;

/** Keeps the EndpointSlices of every service that has a selector. */
export function endpointSliceController(cluster: Cluster): Controller {
  const record = createEventRecorder(cluster, 'endpoint-slice-controller');
  return {
    name: 'endpoint-slices',
    watches: [services, pods, nodes, endpointSlices].map(nameOf),
    keysOf: (event) => keysOf(cluster, event),
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      const service = readOne(cluster.store, services, namespace, name);
      if (service === undefined || !isSelecting(service)) return undefined;
      const selector = service.spec?.selector ?? {};
      const selected = readAll(cluster.store, pods, namespace).filter(({ metadata }) =>
        hasLabels(metadata.labels, selector),
      );
      const nodeOf = (node: string) => readOne(cluster.store, nodes, '', node);
      const { groups, skipped } = serviceTargets(service, selected, nodeOf);
      await applySlices(cluster, service, desiredSlices(groups));
      if (skipped.length > 0) {
        const reasons = skipped.map(
          ({ pod, node }) => `skipping Pod ${pod.metadata.name} for Service ${key}: Node ${node} Not Found`,
        );
        const list = reasons.length === 1 ? reasons[0] : `[${reasons.join(', ')}]`;
        const message = `Error updating Endpoint Slices for Service ${key}: ${list}`;
        await record(service, 'Warning', 'FailedToUpdateEndpointSlices', message);
      }
      return undefined;
    },
  };
}

function keysOf({ store }: Cluster, { key, object, before, type }: StoreEvent): readonly string[] {
  const { resource, namespace, name } = key;
  if (resource === nameOf(services)) return [joinKey(namespace, name)];
  if (resource === nameOf(nodes)) return type === 'MODIFIED' ? [] : readAll(store, services).map(keyOfService);
  if (resource === nameOf(endpointSlices)) {
    const owner = object.metadata.labels?.[SERVICE_NAME];
    return owner === undefined ? [] : [joinKey(namespace, owner)];
  }
  return servicesOfPod(store, namespace, object, before);
}

/** A slice holds a hundred endpoints at most; where there are none, an empty one says so. */
function desiredSlices(groups: readonly EndpointGroup[]): readonly EndpointGroup[] {
  const slices = groups.flatMap(({ ports, endpoints }) =>
    Array.from({ length: Math.ceil(endpoints.length / MAX_ENDPOINTS) }, (_, i) => ({
      ports,
      endpoints: endpoints.slice(i * MAX_ENDPOINTS, (i + 1) * MAX_ENDPOINTS),
    })),
  );
  return slices.length === 0 ? [{ ports: [], endpoints: [] }] : slices;
}

async function applySlices(
  cluster: Cluster,
  service: Stored<Service>,
  desired: readonly EndpointGroup[],
): Promise<void> {
  const { namespace = '', name } = service.metadata;
  const labels = sliceLabels(service);
  const unused = readAll(cluster.store, endpointSlices, namespace).filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined &&
      metadata.labels?.[SERVICE_NAME] === name &&
      metadata.labels[MANAGED_BY] === MANAGER,
  );
  const pairs = matchSlices(unused, desired);
  for (const { group, slice } of pairs) {
    if (slice === undefined) await createSlice(cluster, service, labels, group);
    else await updateSlice(cluster, slice, labels, group);
  }
  const kept = new Set(pairs.map(({ slice }) => slice));
  for (const slice of unused) if (!kept.has(slice)) await deleteSlice(cluster, slice);
}

interface Pair {
  readonly group: EndpointGroup;
  readonly slice: Stored<EndpointSlice> | undefined;
}

/** Gives every group a slice that is there already, one of the same ports before any other. */
function matchSlices(slices: readonly Stored<EndpointSlice>[], groups: readonly EndpointGroup[]): readonly Pair[] {
  const free = new Set(slices);
  const take = (isWanted: (slice: EndpointSlice) => boolean) => {
    const slice = [...free].find(isWanted);
    if (slice !== undefined) free.delete(slice);
    return slice;
  };
  const first = groups.map((group) => ({ group, slice: take(({ ports }) => deepEqual(ports ?? [], group.ports)) }));
  return first.map(({ group, slice }) => ({ group, slice: slice ?? take(() => true) }));
}

function sliceLabels({ metadata, spec }: Stored<Service>): Labels {
  const { [HEADLESS]: _own, ...labels } = metadata.labels ?? {};
  const headless = spec?.clusterIP === 'None' ? { [HEADLESS]: '' } : {};
  return { ...labels, [MANAGED_BY]: MANAGER, [SERVICE_NAME]: metadata.name, ...headless };
}

async function createSlice(
  { writes }: Cluster,
  service: Stored<Service>,
  labels: Labels,
  group: EndpointGroup,
): Promise<void> {
  const { name, namespace = '', creationTimestamp } = service.metadata;
  const [family = 'IPv4'] = service.spec?.ipFamilies ?? [];
  await writes.create(endpointSlices, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels,
      annotations: { [TRIGGER_TIME]: creationTimestamp },
      ownerReferences: [controllerReference({ apiVersion: 'v1', kind: 'Service' }, service.metadata)],
    },
    addressType: family,
    ...group,
  });
}

async function updateSlice(
  { writes }: Cluster,
  slice: Stored<EndpointSlice>,
  labels: Labels,
  group: EndpointGroup,
): Promise<void> {
  const { endpoints, ports, metadata } = slice;
  const isSame = deepEqual(endpoints ?? [], group.endpoints) && deepEqual(ports ?? [], group.ports);
  if (isSame && deepEqual(metadata.labels, labels)) return;
  const { [TRIGGER_TIME]: _old, ...annotations } = metadata.annotations ?? {};
  await writes.update(endpointSlices, { ...slice, metadata: { ...metadata, labels, annotations }, ...group });
}

async function deleteSlice({ writes }: Cluster, { metadata }: Stored<EndpointSlice>): Promise<void> {
  try {
    await writes.delete(endpointSlices, metadata, { preconditions: { uid: metadata.uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
