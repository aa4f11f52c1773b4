import { Label, NodeType, type Pod, type RayCluster, type RayJob, type RayService } from '@manta/api';
import { type KubeClient, resources } from '@manta/kube';
import { CliError } from './cli-error.ts';
import { isRunningAndReady } from './commands/pod-state.ts';
import { explainRead } from './resolve-target.ts';
import type { Target } from './target.ts';

/** The RayCluster behind an object, and the head Service that its status names; both are empty until the operator has created them. */
export interface ClusterOfTarget {
  readonly clusterName: string;
  readonly serviceName: string;
}

/** Looks up which RayCluster an object runs on now: a RayService's changes with each upgrade. */
export async function clusterOf(
  client: KubeClient,
  namespace: string,
  { kind, name }: Target,
): Promise<ClusterOfTarget> {
  const ref = { namespace, name };
  const missing = explainRead(client, namespace, { kind, name });
  switch (kind) {
    case 'raycluster': {
      const { status }: RayCluster = await client.get(resources.rayClusters, ref).catch(missing);
      return { clusterName: name, serviceName: status?.head?.serviceName ?? '' };
    }
    case 'rayjob': {
      const { status }: RayJob = await client.get(resources.rayJobs, ref).catch(missing);
      return {
        clusterName: status?.rayClusterName ?? '',
        serviceName: status?.rayClusterStatus?.head?.serviceName ?? '',
      };
    }
    case 'rayservice': {
      const { status }: RayService = await client.get(resources.rayServices, ref).catch(missing);
      const active = status?.activeServiceStatus;
      return {
        clusterName: active?.rayClusterName ?? '',
        serviceName: active?.rayClusterStatus?.head?.serviceName ?? '',
      };
    }
    case 'raycronjob':
      throw new CliError(`RayCronJob ${name} has no cluster of its own. Name one of its RayJobs instead.`);
  }
}

/** The pod that runs a cluster's head now. A ready one wins over one that still starts; rejects when there is none. */
export async function headPodOf(client: KubeClient, namespace: string, clusterName: string): Promise<Pod> {
  const labelSelector = `${Label.Cluster}=${clusterName},${Label.NodeType}=${NodeType.Head}`;
  const { items } = await client.list(resources.pods, { namespace, labelSelector });
  const alive = items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const head = alive.find(isRunningAndReady) ?? alive.find(({ status }) => status?.phase === 'Running') ?? alive[0];
  if (head === undefined)
    throw new CliError(`Ray cluster ${clusterName} in namespace ${namespace} has no head pod now`);
  return head;
}
