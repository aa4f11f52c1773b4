import { type RayCluster, RayClusterConditionType } from '@manta/api';
import { resources } from '@manta/kube';
import { CliError, failedTo } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { ageOf } from '../output/age.ts';
import { formatObjects, outputFormat } from '../output/print-objects.ts';
import { quantityText } from '../output/quantity-text.ts';
import type { Table } from '../output/table.ts';
import type { GetFlags } from './get-flags.ts';
import { showAndWatch } from './show-and-watch.ts';

/** `get cluster [NAME]`: RayClusters as a table, or in the format that `-o` names. */
export async function getCluster(call: Invocation, name: string | undefined, flags: GetFlags): Promise<void> {
  const format = outputFormat(flags.output);
  const namespace = await call.scope(flags.allNamespaces);
  await showAndWatch(call, flags, { type: resources.rayClusters, namespace }, async () => {
    const items = await listClusters(call, name, namespace, flags.selector);
    const table = () => clusterTable(items, call.world.clock.now());
    return formatObjects(format, { type: resources.rayClusters, items, isSingle: name !== undefined, table });
  });
}

/** All clusters, or the one that is named; rejects when the named one does not exist. */
export async function listClusters(
  call: Invocation,
  name: string | undefined,
  namespace: string | undefined,
  labelSelector?: string,
): Promise<readonly RayCluster[]> {
  const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
  const client = await call.client();
  const { items } = await client
    .list(resources.rayClusters, { namespace, fieldSelector, labelSelector })
    .catch((error: unknown) => {
      throw failedTo(`unable to retrieve Ray clusters for ${where}`, error);
    });
  if (name !== undefined && items.length === 0)
    throw new CliError(
      `Ray cluster ${name} not found in ${namespace === undefined ? 'any namespace' : `namespace ${namespace}`}`,
    );
  return items;
}

function clusterTable(items: readonly RayCluster[], now: number): Table {
  return {
    columns: [
      'Name',
      'Namespace',
      'Desired Workers',
      'Available Workers',
      'CPUs',
      'GPUs',
      'TPUs',
      'Memory',
      'Condition',
      'Status',
      'Age',
    ],
    rows: items.map(({ metadata, status }) => [
      metadata?.name ?? '',
      metadata?.namespace ?? '',
      String(status?.desiredWorkerReplicas ?? 0),
      String(status?.availableWorkerReplicas ?? 0),
      quantityText(status?.desiredCPU),
      quantityText(status?.desiredGPU),
      quantityText(status?.desiredTPU),
      quantityText(status?.desiredMemory),
      relevantCondition(status?.conditions ?? []),
      status?.state ?? '',
      ageOf(metadata?.creationTimestamp, now),
    ]),
  };
}

/** Most telling first. */
const CONDITIONS = [
  RayClusterConditionType.Provisioned,
  RayClusterConditionType.HeadPodReady,
  RayClusterConditionType.ReplicaFailure,
  RayClusterConditionType.Suspended,
  RayClusterConditionType.Suspending,
] as const;

function relevantCondition(conditions: readonly { readonly type: string; readonly status: string }[]): string {
  return CONDITIONS.find((type) => conditions.some((one) => one.type === type && one.status === 'True')) ?? '';
}
