import type { Endpoint, EndpointPort, Node, Pod, Service, ServicePort } from '@manta/api';
import type { Stored } from '../framework/cluster.ts';
import { hasPodEnded, isPodReady } from '@manta/apiserver';

/** Endpoints that are reached at the same ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** What a service leads to. */
export interface ServiceTargets {
  readonly groups: readonly EndpointGroup[];
  /** Pods on nodes that do not exist: they are left out until they do. */
  readonly skipped: readonly { readonly pod: Stored<Pod>; readonly node: string }[];
}

const ZONE = 'topology.kubernetes.io/zone';

/** Groups the pods of a service by the ports that it has on them. */
export function serviceTargets(
  service: Stored<Service>,
  pods: readonly Stored<Pod>[],
  nodeOf: (name: string) => Node | undefined,
): ServiceTargets {
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
  const skipped: { pod: Stored<Pod>; node: string }[] = [];
  const tolerates = service.spec?.publishNotReadyAddresses === true;
  for (const pod of pods.filter(isReachable)) {
    const { nodeName } = pod.spec ?? {};
    const node = nodeName === undefined ? undefined : nodeOf(nodeName);
    if (nodeName !== undefined && node === undefined && !tolerates) {
      skipped.push({ pod, node: nodeName });
      continue;
    }
    const ports = (service.spec?.ports ?? []).flatMap((port) => endpointPort(port, pod) ?? []);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpointOf(service, pod, node));
    groups.set(key, group);
  }
  return { groups: [...groups.values()], skipped };
}

/** A pod that has an address and has not ended; one that is ending is reached until it has. */
export function isReachable(pod: Pod): boolean {
  return !hasPodEnded(pod) && (pod.status?.podIP ?? '') !== '';
}

function endpointOf(service: Stored<Service>, pod: Stored<Pod>, node: Node | undefined): Endpoint {
  const { name, namespace = '', uid, deletionTimestamp } = pod.metadata;
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  const terminating = deletionTimestamp !== undefined;
  const serving = isPodReady(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const zone = node?.metadata?.labels?.[ZONE];
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && subdomain === service.metadata.name ? { hostname } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: 'Pod', name, namespace, uid },
    ...(zone === undefined ? {} : { zone }),
  };
}

/** The port on one pod; undefined where the pod has none of that name. */
export function endpointPort(port: ServicePort, pod: Pod): EndpointPort | undefined {
  const { name = '', protocol = 'TCP', appProtocol } = port;
  const number = targetPort(port, pod, protocol);
  if (number === undefined) return undefined;
  return { ...(appProtocol === undefined ? {} : { appProtocol }), name, port: number, protocol };
}

function targetPort({ port, targetPort: target }: ServicePort, pod: Pod, protocol: string): number | undefined {
  if (typeof target === 'number') return target;
  if (target === undefined || target === '') return port;
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = [...(pod.spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.find((candidate) => candidate.name === target && (candidate.protocol ?? 'TCP') === protocol)
    ?.containerPort;
}
