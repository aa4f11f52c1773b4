import { type JsonObject } from '../../object/json.ts';
import { mapPart, mapParts, metaOf, part, text, withDefaults, without } from '../read.ts';
import { constants, type SetDefaults } from './set-defaults.ts';

const stickySeconds = 10_800;

const service: SetDefaults = (object) => {
  const filled = mapPart(object, 'spec', serviceSpec);
  return text(part(filled, 'spec'), 'type') === 'LoadBalancer' ? mapPart(filled, 'status', balancerStatus) : filled;
};

/** The default `ipMode` of a load balancer's address. */
const balancerStatus: SetDefaults = (status) =>
  mapPart(status, 'loadBalancer', (balancer) =>
    mapParts(balancer, 'ingress', (ingress) =>
      text(ingress, 'ip') === '' ? ingress : withDefaults(ingress, { ipMode: 'VIP' }),
    ),
  );

const serviceSpec: SetDefaults = (given) => {
  const typed = withDefaults(given, { sessionAffinity: 'None', type: 'ClusterIP' });
  const type = text(typed, 'type');
  const isExternal = type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && hasExternalIps(typed));
  const ports = mapParts(affinity(typed), 'ports', (port) => {
    const isUnset = port['targetPort'] === 0 || port['targetPort'] === '' || port['targetPort'] === undefined;
    return withDefaults(isUnset ? { ...port, targetPort: port['port'] ?? 0 } : port, { protocol: 'TCP' });
  });
  return withDefaults(ports, {
    ...(isExternal ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP'
      ? { internalTrafficPolicy: 'Cluster' }
      : {}),
    ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
  });
};

function hasExternalIps(spec: JsonObject): boolean {
  const ips = spec['externalIPs'];
  return Array.isArray(ips) && ips.length > 0;
}

function affinity(spec: JsonObject): JsonObject {
  const kind = text(spec, 'sessionAffinity');
  if (kind === 'None') return without(spec, 'sessionAffinityConfig');
  if (kind !== 'ClientIP') return spec;
  const seconds = part(part(spec, 'sessionAffinityConfig'), 'clientIP')?.['timeoutSeconds'];
  if (seconds !== undefined) return spec;
  return { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: stickySeconds } } };
}

const namespace: SetDefaults = (object) => {
  const meta = metaOf(object);
  const name = text(meta, 'name');
  if (name === '') return object;
  return { ...object, metadata: { ...meta, labels: { ...part(meta, 'labels'), 'kubernetes.io/metadata.name': name } } };
};

/** Defaults of the other core kinds, by Go type. */
export const coreDefaults: Readonly<Record<string, SetDefaults>> = {
  'core.EndpointPort': constants({ protocol: 'TCP' }),
  'core.Namespace': namespace,
  'core.NamespaceStatus': constants({ phase: 'Active' }),
  'core.NodeStatus': (object) => {
    const capacity = part(object, 'capacity');
    return capacity === undefined ? object : withDefaults(object, { allocatable: capacity });
  },
  'core.PersistentVolume': (object) =>
    mapPart(
      mapPart(object, 'status', constants({ phase: 'Pending' })),
      'spec',
      constants({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
    ),
  'core.PersistentVolumeClaim': (object) => mapPart(object, 'status', constants({ phase: 'Pending' })),
  'core.PersistentVolumeClaimSpec': constants({ volumeMode: 'Filesystem' }),
  'core.Secret': constants({ type: 'Opaque' }),
  'core.Service': service,
};
