import type { EndpointPort, Pod, Service } from '@manta/api';
import type { Stored } from '../framework/cluster.ts';
import type { EndpointAddress, EndpointSubset } from '../framework/kinds.ts';
import { isPodReady } from '@manta/apiserver';
import { endpointPort, isReachable } from './endpoint-groups.ts';

interface Group {
  readonly ports: EndpointPort[];
  readonly ready: EndpointAddress[];
  readonly unready: EndpointAddress[];
}

/** A Service's endpoints as subsets of the Endpoints API: ports with the same addresses are grouped. */
export function endpointSubsets(service: Stored<Service>, pods: readonly Stored<Pod>[]): readonly EndpointSubset[] {
  const merged = new Map<string, Group>();
  for (const group of byPort(service, pods).values()) {
    const key = JSON.stringify([group.ready, group.unready]);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, group);
    else known.ports.push(...group.ports);
  }
  return [...merged.values()].map(({ ports, ready, unready }) => ({
    ...(ready.length === 0 ? {} : { addresses: ready }),
    ...(unready.length === 0 ? {} : { notReadyAddresses: unready }),
    ...(ports.length === 0 ? {} : { ports: ports.toSorted(byName) }),
  }));
}

/** The addresses of each port; a service without an address of its own may have none of them. */
function byPort(service: Stored<Service>, pods: readonly Stored<Pod>[]): ReadonlyMap<string, Group> {
  const { ports = [], clusterIP, publishNotReadyAddresses: isEarly = false } = service.spec ?? {};
  const groups = new Map<string, Group>();
  const add = (pod: Stored<Pod>, port: EndpointPort[]) => {
    const key = JSON.stringify(port);
    const group = groups.get(key) ?? { ports: port, ready: [], unready: [] };
    (isEarly || isPodReady(pod) ? group.ready : group.unready).push(addressOf(service, pod));
    groups.set(key, group);
  };
  for (const pod of pods.filter(isReachable).toSorted(byAddress)) {
    if (pod.metadata.deletionTimestamp !== undefined && !isEarly) continue;
    if (ports.length === 0 && clusterIP === 'None') add(pod, []);
    for (const each of ports) {
      const port = endpointPort(each, pod);
      if (port !== undefined) add(pod, [unnamed(port)]);
    }
  }
  return groups;
}

function unnamed({ name, ...port }: EndpointPort): EndpointPort {
  return name === undefined || name === '' ? port : { name, ...port };
}

function addressOf(service: Stored<Service>, { metadata, spec, status }: Stored<Pod>): EndpointAddress {
  const { name, namespace = '', uid } = metadata;
  const { nodeName, hostname, subdomain } = spec ?? {};
  return {
    ...(hostname !== undefined && subdomain === service.metadata.name ? { hostname } : {}),
    ip: status?.podIP ?? '',
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: 'Pod', name, namespace, uid },
  };
}

function byAddress(a: Pod, b: Pod): number {
  return (a.status?.podIP ?? '') < (b.status?.podIP ?? '') ? -1 : 1;
}

function byName(a: EndpointPort, b: EndpointPort): number {
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
