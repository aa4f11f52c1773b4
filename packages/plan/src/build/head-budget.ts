import {
  Annotation,
  clusterObjectNames,
  type KubeObject,
  Label,
  NodeType,
  type RayCluster,
  type StringMap,
} from '@manta/api';
import { childMetadata, clusterLabels } from './child-metadata.ts';
import type { BuildContext } from './context.ts';

/** The fields of a policy/v1 PodDisruptionBudget that the operator uses. */
export interface PodDisruptionBudget extends KubeObject {
  readonly spec: { readonly minAvailable: number; readonly selector: { readonly matchLabels: StringMap } };
}

/** Protects the head from eviction, which would end the whole cluster. Undefined unless the user asks for it. */
export function buildHeadBudget(cluster: RayCluster, { env }: BuildContext): PodDisruptionBudget | undefined {
  const { name = '', annotations } = cluster.metadata ?? {};
  if (!env.headDisruptionBudget || annotations?.[Annotation.HeadDisruptionBudget] === 'false') return undefined;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: childMetadata(cluster, clusterObjectNames.headBudget(name), clusterLabels(cluster)),
    spec: {
      // For pods whose owner has no scale subresource, Kubernetes supports only an absolute minAvailable.
      minAvailable: 1,
      selector: { matchLabels: { [Label.Cluster]: name, [Label.NodeType]: NodeType.Head } },
    },
  };
}
