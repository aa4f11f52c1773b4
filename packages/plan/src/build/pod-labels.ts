import { Label, LabelValue, type NodeType, podNames, type StringMap } from '@manta/api';

/** The place of a worker in its group. */
export interface ReplicaPlace {
  /** Unique within the group; new replicas get the smallest free number. */
  readonly index: number;
  /** Only in multi-host groups. */
  readonly host?: { readonly replicaName: string; readonly index: number };
}

/** The labels of a Ray pod. The user's labels win, except over those that the operator selects pods by. */
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

/** The labels that record a worker's place. */
export function placeLabels({ index, host }: ReplicaPlace): StringMap {
  return {
    [Label.ReplicaIndex]: String(index),
    ...(host === undefined
      ? {}
      : { [Label.ReplicaName]: host.replicaName, [Label.ReplicaHostIndex]: String(host.index) }),
  };
}
