import type { RayCluster, StringMap } from '@manta/api';
import { isNotFound, resources } from '@manta/kube';
import type { Command } from 'commander';
import { checkConfig, checkQuantity, checkTpu } from '../build/check-config.ts';
import { type AutoscalerVersion, type ClusterConfig, DEFAULT_GROUP, imageFor } from '../build/cluster-config.ts';
import { readConfigFile } from '../build/config-file.ts';
import { rayClusterOf } from '../build/ray-cluster.ts';
import { CliError, failedTo, usageError } from '../cli-error.ts';
import { FIELD_MANAGER } from '../field-manager.ts';
import type { Invocation } from '../invocation.ts';
import { toYaml } from '../output/print-objects.ts';
import { waitForCluster } from './wait-for-cluster.ts';

export interface CreateClusterFlags {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly rayVersion: string;
  readonly image: string;
  readonly headCpu: string;
  readonly headMemory: string;
  readonly headGpu: string;
  readonly headEphemeralStorage?: string;
  readonly headRayStartParams?: StringMap;
  readonly headNodeSelectors?: StringMap;
  readonly workerReplicas: number;
  readonly workerCpu: string;
  readonly workerMemory: string;
  readonly workerGpu: string;
  readonly workerTpu: string;
  readonly workerEphemeralStorage?: string;
  readonly workerRayStartParams?: StringMap;
  readonly workerNodeSelectors?: StringMap;
  readonly numOfHosts: number;
  readonly autoscaler?: AutoscalerVersion;
  readonly file?: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly timeout: number;
}

/** `create cluster NAME`: a RayCluster from flags or from `--file`; refuses a name that is taken. */
export async function createCluster(
  call: Invocation,
  name: string,
  flags: CreateClusterFlags,
  command: Command,
): Promise<void> {
  const config = flags.file === undefined ? configOf(flags) : await configFrom(flags.file, name, command);
  const namespace = await namespaceFor(call, config);
  const cluster = rayClusterOf(config, namespace, name);
  if (flags.dryRun === true) {
    call.print(`${toYaml(cluster)}\n`);
    return;
  }
  await create(call, cluster, namespace, name);
  call.print(`Created Ray cluster: ${name}`);
  if (flags.wait !== true) return;
  await waitForCluster(call, namespace, name, flags.timeout);
  call.print(`Ray cluster ${name} is provisioned`);
}

async function create(call: Invocation, cluster: RayCluster, namespace: string, name: string): Promise<void> {
  const client = await call.client();
  const existing = await client.get(resources.rayClusters, { namespace, name }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw failedTo(`failed to look for Ray cluster ${name}`, error);
  });
  if (existing !== undefined) throw new CliError(`the Ray cluster ${name} in namespace ${namespace} already exists`);
  await client
    .patch(
      resources.rayClusters,
      { namespace, name },
      { type: 'apply', body: cluster, fieldManager: FIELD_MANAGER, force: false },
    )
    .catch((error: unknown) => {
      throw failedTo('failed to create Ray cluster', error);
    });
}

function configOf(flags: CreateClusterFlags): ClusterConfig {
  const quantities: readonly (readonly [string, string | undefined])[] = [
    ['head-cpu', flags.headCpu],
    ['head-gpu', flags.headGpu],
    ['head-memory', flags.headMemory],
    ['head-ephemeral-storage', flags.headEphemeralStorage],
    ['worker-cpu', flags.workerCpu],
    ['worker-gpu', flags.workerGpu],
    ['worker-tpu', flags.workerTpu],
    ['worker-memory', flags.workerMemory],
    ['worker-ephemeral-storage', flags.workerEphemeralStorage],
  ];
  for (const [flag, value] of quantities) checkQuantity(value, flag);
  const group = {
    name: DEFAULT_GROUP,
    replicas: flags.workerReplicas,
    numOfHosts: flags.numOfHosts,
    cpu: flags.workerCpu,
    memory: flags.workerMemory,
    gpu: flags.workerGpu,
    tpu: flags.workerTpu,
    ...(flags.workerEphemeralStorage !== undefined && { ephemeralStorage: flags.workerEphemeralStorage }),
    ...(flags.workerRayStartParams !== undefined && { rayStartParams: flags.workerRayStartParams }),
    ...(flags.workerNodeSelectors !== undefined && { nodeSelectors: flags.workerNodeSelectors }),
  };
  checkTpu(group);
  return {
    ...(flags.labels !== undefined && { labels: flags.labels }),
    ...(flags.annotations !== undefined && { annotations: flags.annotations }),
    rayVersion: flags.rayVersion,
    image: imageFor(flags.image, flags.rayVersion),
    head: {
      cpu: flags.headCpu,
      memory: flags.headMemory,
      gpu: flags.headGpu,
      ...(flags.headEphemeralStorage !== undefined && { ephemeralStorage: flags.headEphemeralStorage }),
      ...(flags.headRayStartParams !== undefined && { rayStartParams: flags.headRayStartParams }),
      ...(flags.headNodeSelectors !== undefined && { nodeSelectors: flags.headNodeSelectors }),
    },
    workerGroups: [group],
    ...(flags.autoscaler !== undefined && { autoscaler: flags.autoscaler }),
  };
}

/** Flags that say what to do with the cluster, not what it is. */
const ALLOWED_WITH_FILE = new Set(['file', 'dryRun', 'wait', 'timeout']);

async function configFrom(file: string, name: string, command: Command): Promise<ClusterConfig> {
  const given = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .filter((option) => !ALLOWED_WITH_FILE.has(option.attributeName()))
    .map((option) => option.name())
    .toSorted();
  if (given.length > 0) throw usageError(`the following flags are incompatible with --file: [${given.join(' ')}]`);
  const config = await readConfigFile(file);
  checkConfig(config);
  if (config.name !== undefined && config.name !== name)
    throw usageError(
      `the cluster name in the config file "${config.name}" does not match the cluster name "${name}". You must use the same name to perform this operation`,
    );
  return config;
}

async function namespaceFor(call: Invocation, { namespace }: ClusterConfig): Promise<string> {
  const flag = call.flags.namespace;
  if (namespace === undefined) return await call.namespace();
  if (flag !== undefined && flag !== namespace)
    throw usageError(
      `the namespace in the config file "${namespace}" does not match the namespace "${flag}". You must pass --namespace=${namespace} to perform this operation`,
    );
  return namespace;
}
