import { parseQuantity } from '@manta/api';
import { usageError } from '../cli-error.ts';
import type { ClusterConfig, NodeConfig, WorkerGroupConfig } from './cluster-config.ts';

const TPU_ACCELERATOR = 'cloud.google.com/gke-tpu-accelerator';
const TPU_TOPOLOGY = 'cloud.google.com/gke-tpu-topology';
const TPU_DOC = 'https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus#availability';

/** Throws when a quantity cannot be read or is negative; `name` is the flag or field that holds it. */
export function checkQuantity(value: string | undefined, name: string): void {
  if (value === undefined) return;
  const parsed = parseQuantity(value);
  if (!parsed.ok) throw usageError(`${name} is not a valid resource quantity: ${parsed.error} ("${value}")`);
  if (parsed.value.nanos < 0n) throw usageError(`${name} cannot be negative ("${value}")`);
}

/** TPUs on GKE need to know which accelerator and topology the nodes must have. */
export function checkTpu({
  tpu,
  numOfHosts,
  nodeSelectors = {},
}: Pick<WorkerGroupConfig, 'tpu' | 'numOfHosts' | 'nodeSelectors'>): void {
  if (tpu === undefined || tpu === '' || tpu === '0') return;
  if (numOfHosts === 0) throw usageError('numOfHosts cannot be 0 when using TPU');
  for (const key of [TPU_ACCELERATOR, TPU_TOPOLOGY]) {
    if (!Object.hasOwn(nodeSelectors, key))
      throw usageError(`${key} is not set in --worker-node-selectors. See ${TPU_DOC} for supported values`);
  }
}

/** Checks everything that a configuration file holds; group indexes tell groups apart that have no name. */
export function checkConfig({ head, workerGroups, gcsfuse }: ClusterConfig): void {
  checkNode(head, (field) => field);
  for (const [index, group] of workerGroups.entries()) {
    checkNode(group, (field) => `${field} (worker group ${index})`);
    checkQuantity(group.tpu, `tpu (worker group ${index})`);
    checkTpu(group);
  }
  if (gcsfuse === undefined) return;
  if (gcsfuse.bucketName === '') throw usageError('.gcsfuse.bucket-name is required');
  if (gcsfuse.mountPath === '') throw usageError('.gcsfuse.mount-path is required');
  checkQuantity(gcsfuse.resources?.cpu, 'gcsfuse.resources.cpu');
  checkQuantity(gcsfuse.resources?.memory, 'gcsfuse.resources.memory');
  checkQuantity(gcsfuse.resources?.ephemeralStorage, 'gcsfuse.resources.ephemeral-storage');
}

function checkNode({ cpu, gpu, memory, ephemeralStorage }: NodeConfig, nameOf: (field: string) => string): void {
  checkQuantity(cpu, nameOf('cpu'));
  checkQuantity(gpu, nameOf('gpu'));
  checkQuantity(memory, nameOf('memory'));
  checkQuantity(ephemeralStorage, nameOf('ephemeral-storage'));
}
