import { Label, LabelValue, NodeType, type ObjectMeta, podNames, type RayCluster, type StringMap } from '@manta/api';
import { controllerReference } from './owner.ts';

/** Metadata of a child object: in the cluster's namespace, and owned by the cluster. */
export function childMetadata(
  cluster: RayCluster,
  name: string,
  labels: StringMap,
  annotations: StringMap = {},
): ObjectMeta {
  return {
    name,
    namespace: cluster.metadata?.namespace ?? '',
    labels,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ownerReferences: [controllerReference('RayCluster', cluster)],
  };
}

/** The labels by which users find all child objects of a cluster. */
export function clusterLabels(cluster: RayCluster): StringMap {
  return {
    [Label.Cluster]: cluster.metadata?.name ?? '',
    [Label.AppName]: LabelValue.AppName,
    [Label.AppCreatedBy]: LabelValue.CreatedBy,
  };
}

/** The labels of an Ingress or Route to the head. */
export function headFrontLabels(cluster: RayCluster): StringMap {
  return {
    ...clusterLabels(cluster),
    [Label.Identifier]: podNames.identifier(cluster.metadata?.name ?? '', NodeType.Head),
  };
}
