import {
  hostsPerReplica,
  Label,
  NodeType,
  type RayCluster,
  type RayClusterSpec,
  type Service,
  serviceNames,
} from '@manta/api';
import { childMetadata } from './child-metadata.ts';

/** Gives hosts of multi-host replicas DNS names; undefined if every replica has one host. */
export function buildHeadlessService(cluster: RayCluster, spec: RayClusterSpec): Service | undefined {
  if (!spec.workerGroupSpecs?.some((group) => hostsPerReplica(group) > 1)) return undefined;
  const { name = '' } = cluster.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: childMetadata(cluster, serviceNames.headlessWorkers(name), { [Label.HeadlessWorkerService]: name }),
    spec: {
      type: 'ClusterIP',
      clusterIP: 'None',
      // Hosts resolve each other before they are ready.
      publishNotReadyAddresses: true,
      selector: { [Label.Cluster]: name, [Label.NodeType]: NodeType.Worker },
    },
  };
}
