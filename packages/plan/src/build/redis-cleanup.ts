import {
  Annotation,
  type Container,
  ContainerName,
  clusterObjectNames,
  EnvName,
  EnvValue,
  isGcsFaultToleranceEmbedded,
  isGcsFaultToleranceEnabled,
  type Job,
  Label,
  LabelValue,
  NodeType,
  parseQuantity,
  type RayCluster,
  type RayClusterSpec,
  type ResourceRequirements,
} from '@manta/api';
import { childMetadata } from './child-metadata.ts';
import { appendEnv, hasEnv } from './container-env.ts';
import type { BuildContext } from './context.ts';
import { buildHeadPod } from './head-pod.ts';
import { rayContainerOf } from './pod-draft.ts';
import { bash } from './shell.ts';

const DEADLINE_SECONDS = 300;
const SMALL = { cpu: '200m', memory: '256Mi' } as const;

/** Settings of the installation for cleanup Jobs. */
export interface RedisCleanupOptions {
  readonly resources?: ResourceRequirements;
}

/** Does the cluster keep state in Redis that must be removed when the cluster is deleted? */
export function keepsStateInRedis(cluster: RayCluster, spec: RayClusterSpec): boolean {
  return isGcsFaultToleranceEnabled(spec, cluster.metadata?.annotations) && !isGcsFaultToleranceEmbedded(spec);
}

/**
 * The Job that removes a cluster's state from Redis. It uses the head's image and variables, so it reaches Redis if the head did.
 * Undefined if the cluster keeps nothing in Redis.
 */
export function buildRedisCleanupJob(
  cluster: RayCluster,
  spec: RayClusterSpec,
  context: BuildContext,
  options: RedisCleanupOptions = {},
): Job | undefined {
  if (!keepsStateInRedis(cluster, spec)) return undefined;
  const head = buildHeadPod(cluster, spec, context);
  // These labels win over the user's: the operator selects the Job by the last one.
  const labels = {
    ...head.metadata?.labels,
    [Label.NodeType]: NodeType.RedisCleanup,
    [Label.AppCreatedBy]: LabelValue.CreatedBy,
  };
  const name = clusterObjectNames.redisCleanupJob(cluster.metadata?.name ?? '');
  const headSpec = head.spec ?? { containers: [] };
  const initContainers = headSpec.initContainers?.filter((each) => each.name !== ContainerName.WaitForTlsIpSan) ?? [];
  const { initContainers: _, ...podSpec } = headSpec;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: childMetadata(cluster, name, labels, head.metadata?.annotations),
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: DEADLINE_SECONDS,
      template: {
        metadata: { ...head.metadata, labels },
        spec: {
          ...podSpec,
          ...(initContainers.length === 0 ? {} : { initContainers }),
          containers: [
            cleanupContainer(rayContainerOf(headSpec), context, options.resources ?? resourcesFor(cluster, context)),
          ],
          restartPolicy: 'Never',
        },
      },
    },
  };
}

function cleanupContainer(ray: Container, context: BuildContext, resources: ResourceRequirements): Container {
  const { livenessProbe: _, readinessProbe: __, ...container } = ray;
  const patient = appendEnv(container, [
    { name: EnvName.RedisDbConnectRetries, value: EnvValue.RedisDbConnectRetries },
    { name: EnvName.RedisDbConnectWaitMilliseconds, value: EnvValue.RedisDbConnectWaitMilliseconds },
  ]);
  return {
    ...patient,
    command: bash(context),
    args: [cleanupScript(hasEnv(ray, EnvName.RedisUsername))],
    resources,
  };
}

/** The cluster's annotation, else the installation's setting; an invalid quantity counts as unset. */
function resourcesFor({ metadata }: RayCluster, { env }: BuildContext): ResourceRequirements {
  const said = (key: string) => {
    const text = metadata?.annotations?.[key] ?? '';
    return parseQuantity(text).ok ? text : undefined;
  };
  const amounts = {
    cpu: said(Annotation.RedisCleanupCpu) ?? env.redisCleanupCpu ?? SMALL.cpu,
    memory: said(Annotation.RedisCleanupMemory) ?? env.redisCleanupMemory ?? SMALL.memory,
  };
  return { limits: amounts, requests: amounts };
}

/** Old versions of Ray do not know the argument, so it is passed only if a Redis user name is set. */
function cleanupScript(hasUsername: boolean): string {
  const username = hasUsername ? `\n    username=os.environ.get('REDIS_USERNAME') or url.username or '',` : '';
  return `
echo "To get more information about manually deleting the storage namespace in Redis and removing the RayCluster's finalizer, please check https://docs.ray.io/en/master/cluster/kubernetes/user-guides/kuberay-gcs-ft.html for more details."
python -c "
import os
import sys
from urllib.parse import urlparse
from ray._private.gcs_utils import cleanup_redis_storage

address = os.environ['RAY_REDIS_ADDRESS'].split(',')[0]
url = urlparse(address if '://' in address else 'redis://' + address)
is_clean = cleanup_redis_storage(
    host=url.hostname,
    port=url.port or 6379,${username}
    password=os.environ.get('REDIS_PASSWORD') or url.password or '',
    use_ssl=url.scheme == 'rediss',
    storage_namespace=os.environ['RAY_external_storage_namespace'],
)
sys.exit(0 if is_clean else 1)
"
`.trim();
}
