import type { RayCluster, StringMap, WorkerGroupSpec } from '@manta/api';
import { isConflict, resources } from '@manta/kube';
import { checkQuantity, checkTpu } from '../build/check-config.ts';
import { IMAGE_REPOSITORY } from '../build/cluster-config.ts';
import { resourcesOf } from '../build/ray-cluster.ts';
import { CliError, failedTo } from '../cli-error.ts';
import { FIELD_MANAGER } from '../field-manager.ts';
import type { Invocation } from '../invocation.ts';

export interface CreateWorkerGroupFlags {
  readonly rayCluster: string;
  readonly rayVersion: string;
  readonly image: string;
  readonly workerReplicas: number;
  readonly workerMinReplicas: number;
  readonly workerMaxReplicas: number;
  readonly numOfHosts: number;
  readonly workerCpu: string;
  readonly workerMemory: string;
  readonly workerGpu: string;
  readonly workerTpu: string;
  readonly workerRayStartParams?: StringMap;
  readonly workerNodeSelectors?: StringMap;
}

const ATTEMPTS = 5;

/** `create workergroup GROUP`: adds a group to an existing RayCluster. Conflicts are retried; a name that is taken is refused. */
export async function createWorkerGroup(
  call: Invocation,
  groupName: string,
  flags: CreateWorkerGroupFlags,
): Promise<void> {
  const group = groupOf(groupName, flags);
  const namespace = await call.namespace();
  const client = await call.client();
  const name = flags.rayCluster;
  for (let attempt = 1; ; attempt++) {
    const cluster = await client.get(resources.rayClusters, { namespace, name }).catch((error: unknown) => {
      throw failedTo('error getting Ray cluster', error);
    });
    try {
      await client.update(resources.rayClusters, withGroup(cluster, group), { fieldManager: FIELD_MANAGER });
      break;
    } catch (error) {
      if (isConflict(error) && attempt < ATTEMPTS) continue;
      throw failedTo('error updating Ray cluster with new worker group', error);
    }
  }
  call.print(`Updated Ray cluster ${namespace}/${name} with new worker group`);
}

function withGroup(cluster: RayCluster, group: WorkerGroupSpec): RayCluster {
  const { spec } = cluster;
  if (spec === undefined) throw new CliError('the Ray cluster has no spec');
  const groups = spec.workerGroupSpecs ?? [];
  if (groups.some(({ groupName }) => groupName === group.groupName))
    throw new CliError(
      `worker group ${group.groupName} already exists. Use kubectl ray scale cluster to change its size.`,
    );
  return { ...cluster, spec: { ...spec, workerGroupSpecs: [...groups, group] } };
}

function groupOf(groupName: string, flags: CreateWorkerGroupFlags): WorkerGroupSpec {
  const { workerCpu: cpu, workerMemory: memory, workerGpu: gpu, workerTpu: tpu, numOfHosts } = flags;
  const nodeSelectors = flags.workerNodeSelectors ?? {};
  checkQuantity(cpu, 'worker-cpu');
  checkQuantity(memory, 'worker-memory');
  checkQuantity(gpu, 'worker-gpu');
  checkQuantity(tpu, 'worker-tpu');
  checkTpu({ tpu, numOfHosts, nodeSelectors });
  const { requests } = resourcesOf({ cpu, memory, gpu, tpu });
  const image = flags.image === '' ? `${IMAGE_REPOSITORY}:${flags.rayVersion}` : flags.image;
  return {
    groupName,
    replicas: flags.workerReplicas,
    minReplicas: flags.workerMinReplicas,
    maxReplicas: flags.workerMaxReplicas,
    numOfHosts,
    rayStartParams: flags.workerRayStartParams ?? {},
    template: {
      spec: {
        ...(Object.keys(nodeSelectors).length > 0 && { nodeSelector: nodeSelectors }),
        containers: [{ name: 'ray-worker', image, resources: { requests: requests ?? {}, limits: requests ?? {} } }],
      },
    },
  };
}
