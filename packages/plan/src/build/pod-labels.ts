import { Label, LabelValue, type NodeType, podNames, type StringMap } from '@manta/api';

/** Where a worker stands in its group. */
export interface ReplicaPlace {
  /** Unique within the group; the smallest free number is given out. */
  readonly index: number;
  /** Only in groups with several hosts a replica. */
  readonly host?: { readonly replicaName: string; readonly index: number };
}

/** The labels of a Ray pod: ours, overlaid by the user's, except those by which we find our pods again. */
export function podLabels(
  cluster: string,
  nodeType: NodeType,
  group: string,
  user: { readonly template?: StringMap | undefined; readonly group?: StringMap | undefined },
): StringMap {
  return {
    [Label.IsRayNode]: LabelValue.IsRayNode,
    [Label.Identifier]: podNames.identifier(cluster, nodeType),
    [Label.AppName]: LabelValue.AppName,
    [Label.AppCreatedBy]: LabelValue.CreatedBy,
    ...user.template,
    ...user.group,
    [Label.Cluster]: cluster,
    [Label.NodeType]: nodeType,
    [Label.Group]: group,
  };
}

/** The labels by which a worker's place is known. */
export function placeLabels({ index, host }: ReplicaPlace): StringMap {
  return {
    [Label.ReplicaIndex]: String(index),
    ...(host === undefined
      ? {}
      : { [Label.ReplicaName]: host.replicaName, [Label.ReplicaHostIndex]: String(host.index) }),
  };
}
