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

/** policy/v1 PodDisruptionBudget, as far as we use it. */
export interface PodDisruptionBudget extends KubeObject {
  readonly spec: { readonly minAvailable: number; readonly selector: { readonly matchLabels: StringMap } };
}

/** Keeps evictions from taking the head: with it the whole cluster would go. Undefined where nobody asks for that. */
export function buildHeadBudget(cluster: RayCluster, { env }: BuildContext): PodDisruptionBudget | undefined {
  const { name = '', annotations } = cluster.metadata ?? {};
  if (!env.headDisruptionBudget || annotations?.[Annotation.HeadDisruptionBudget] === 'false') return undefined;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: childMetadata(cluster, clusterObjectNames.headBudget(name), clusterLabels(cluster)),
    spec: {
      // Of pods whose owner cannot be scaled Kubernetes only understands how many there have to be, not how many may be missing.
      minAvailable: 1,
      selector: { matchLabels: { [Label.Cluster]: name, [Label.NodeType]: NodeType.Head } },
    },
  };
}
