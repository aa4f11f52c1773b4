import { type Command, InvalidArgumentError, Option } from 'commander';
import { type AutoscalerVersion, DEFAULT_IMAGE, RAY_VERSION } from '../build/cluster-config.ts';
import { duration, int32, keyValues } from '../flag-values.ts';
import type { OpenInvocation } from '../program.ts';
import { createCluster, type CreateClusterFlags } from './create-cluster.ts';
import { createWorkerGroup, type CreateWorkerGroupFlags } from './create-workergroup.ts';
import { printHelpForUnknown } from './print-help.ts';

const PROVISIONED_MS = 5 * 60_000;

/** `create cluster` and `create workergroup`. */
export function addCreateCommands(program: Command, open: OpenInvocation): void {
  const create = program.command('create').description('Create a Ray cluster, or a worker group in one.');
  printHelpForUnknown(create);
  addCreateCluster(create, open);
  addCreateWorkerGroup(create, open);
}

function addCreateCluster(create: Command, open: OpenInvocation): void {
  const command = create
    .command('cluster')
    .description('Create a Ray cluster.')
    .argument('<name>', 'name of the RayCluster')
    .allowExcessArguments(false)
    .option('--labels <k=v,…>', 'labels of the RayCluster', keyValues)
    .option('--annotations <k=v,…>', 'annotations of the RayCluster', keyValues);
  addImageFlags(command);
  addHeadFlags(command)
    .option('--head-ephemeral-storage <quantity>', 'ephemeral storage of the Ray head')
    .option(
      '--head-ray-start-params <k=v,…>',
      "arguments of the head's `ray start`, e.g. dashboard-host=0.0.0.0",
      keyValues,
    )
    .option('--head-node-selectors <k=v,…>', 'node selectors of the head pod', keyValues);
  addWorkerFlags(command)
    .option('--worker-ephemeral-storage <quantity>', 'ephemeral storage of each worker')
    .option(
      '--worker-tpu <quantity>',
      'TPUs of each worker; needs the GKE TPU accelerator and topology in --worker-node-selectors',
      '0',
    )
    .option('--worker-ray-start-params <k=v,…>', "arguments of the workers' `ray start`", keyValues)
    .option('--worker-node-selectors <k=v,…>', 'node selectors of the worker pods', keyValues)
    .option('--num-of-hosts <n>', 'pods a replica', int32, 1)
    .addOption(new Option('--autoscaler <version>', 'switch the autoscaler on: v1 or v2').argParser(autoscaler))
    .option('--file <path>', 'YAML file that describes the cluster, instead of flags')
    .option('--dry-run', 'print the YAML and create nothing')
    .option('--wait', 'return when the cluster is provisioned; exit code 3 when that takes longer than --timeout')
    .addOption(
      new Option('--timeout <duration>', 'how long --wait waits').argParser(duration).default(PROVISIONED_MS, '5m'),
    )
    .addHelpText(
      'after',
      `
Examples:
  kubectl ray create cluster sample
  kubectl ray create cluster sample --worker-replicas 3 --worker-cpu 4 --worker-memory 8Gi --wait
  kubectl ray create cluster sample --autoscaler v2 --dry-run > cluster.yaml
  kubectl ray create cluster sample --file cluster-config.yaml`,
    )
    .action((name: string, flags: CreateClusterFlags, self: Command) => createCluster(open(self), name, flags, self));
}

function addCreateWorkerGroup(create: Command, open: OpenInvocation): void {
  const command = create
    .command('workergroup')
    .description('Create a worker group in an existing Ray cluster.')
    .argument('<group>', 'name of the worker group')
    .allowExcessArguments(false)
    .requiredOption('-c, --ray-cluster <name>', 'Ray cluster to add the group to');
  addImageFlags(command);
  addWorkerFlags(command)
    .option('--worker-min-replicas <n>', 'lower bound of the autoscaler', int32, 1)
    .option('--worker-max-replicas <n>', 'upper bound of the autoscaler', int32, 10)
    .option('--num-of-hosts <n>', 'pods a replica', int32, 1)
    .option('--worker-tpu <quantity>', 'TPUs of each worker', '0')
    .option('--worker-ray-start-params <k=v,…>', "arguments of the workers' `ray start`", keyValues)
    .option('--worker-node-selectors <k=v,…>', 'node selectors of the worker pods', keyValues)
    .addHelpText(
      'after',
      '\nExample:\n  kubectl ray create workergroup gpu --ray-cluster sample --worker-gpu 1 --worker-replicas 2',
    )
    .action((group: string, flags: CreateWorkerGroupFlags, self: Command) =>
      createWorkerGroup(open(self), group, flags),
    );
}

/** Flags that `create` and `job submit` share. */
export function addImageFlags(command: Command): Command {
  return command
    .option('--ray-version <version>', 'Ray version', RAY_VERSION)
    .option('--image <image>', 'container image of all Ray pods', DEFAULT_IMAGE);
}

export function addHeadFlags(command: Command): Command {
  return command
    .option('--head-cpu <quantity>', 'CPUs of the Ray head', '2')
    .option('--head-memory <quantity>', 'memory of the Ray head', '4Gi')
    .option('--head-gpu <quantity>', 'GPUs of the Ray head', '0');
}

export function addWorkerFlags(command: Command): Command {
  return command
    .option('--worker-replicas <n>', 'replicas of the worker group', int32, 1)
    .option('--worker-cpu <quantity>', 'CPUs of each worker', '2')
    .option('--worker-memory <quantity>', 'memory of each worker', '4Gi')
    .option('--worker-gpu <quantity>', 'GPUs of each worker', '0');
}

function autoscaler(text: string): AutoscalerVersion {
  const version = text.toLowerCase();
  if (version === 'v1' || version === 'v2') return version;
  throw new InvalidArgumentError('must be one of "v1" or "v2"');
}
