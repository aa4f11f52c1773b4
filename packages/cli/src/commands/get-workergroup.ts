import { Label, MAX_INT32, NodeType, type Pod, type RayCluster, type WorkerGroupSpec } from '@manta/api';
import { resources } from '@manta/kube';
import { addAmounts, type Amounts, containerAmounts, NO_AMOUNTS, timesAmounts } from '@manta/plan';
import { CliError } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { outputFormat } from '../output/print-objects.ts';
import { amountText, GPU, TPU } from '../output/amount-text.ts';
import { toYaml } from '../output/print-objects.ts';
import { tableLines } from '../output/table.ts';
import { evaluateJsonPath } from '../output/json-path.ts';
import type { GetOfClusterFlags } from './get-flags.ts';
import { isRunningAndReady } from './pod-state.ts';
import { showAndWatch } from './show-and-watch.ts';

/** A worker group as it is shown; also the document of `-o json` and `-o yaml`. */
interface GroupRow {
  readonly namespace: string;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly ready: number;
  readonly desired: number;
  readonly cpus: string;
  readonly gpus: string;
  readonly tpus: string;
  readonly memory: string;
  readonly cluster: string;
}

/** `get workergroup [GROUP]`: the worker groups of one RayCluster, or of all. */
export async function getWorkerGroup(
  call: Invocation,
  group: string | undefined,
  flags: GetOfClusterFlags,
): Promise<void> {
  const format = outputFormat(flags.output);
  const namespace = await call.scope(flags.allNamespaces);
  await showAndWatch(call, flags, { type: resources.rayClusters, namespace }, async () => {
    const rows = await groupRows(call, group, namespace, flags);
    switch (format.kind) {
      case 'json':
        return JSON.stringify(rows, null, 4);
      case 'yaml':
        return toYaml(rows);
      case 'name':
        return rows.map(({ name }) => `workergroup/${name}`).join('\n');
      case 'jsonpath':
        return evaluateJsonPath(format.template, { items: rows });
      default:
        return tableLines(groupTable(rows, flags.allNamespaces === true)).join('\n');
    }
  });
}

async function groupRows(
  call: Invocation,
  group: string | undefined,
  namespace: string | undefined,
  flags: GetOfClusterFlags,
): Promise<readonly GroupRow[]> {
  const client = await call.client();
  const { rayCluster, selector } = flags;
  const fieldSelector = rayCluster === undefined ? undefined : `metadata.name=${rayCluster}`;
  const clusters = await client.list(resources.rayClusters, { namespace, fieldSelector, labelSelector: selector });
  // One list for all groups; a label selector per group would cost a request each.
  const labelSelector = [
    `${Label.NodeType}=${NodeType.Worker}`,
    ...(rayCluster === undefined ? [] : [`${Label.Cluster}=${rayCluster}`]),
  ];
  const pods = await client.list(resources.pods, { namespace, labelSelector: labelSelector.join(',') });
  const rows = clusters.items.flatMap((cluster) =>
    (cluster.spec?.workerGroupSpecs ?? [])
      .filter(({ groupName }) => group === undefined || groupName === group)
      .map((spec) => groupRow(cluster, spec, pods.items)),
  );
  if (group !== undefined && rows.length === 0) throw new CliError(notFound(group, rayCluster, namespace));
  return rows;
}

function groupRow({ metadata }: RayCluster, spec: WorkerGroupSpec, pods: readonly Pod[]): GroupRow {
  const isOfGroup = ({ metadata: pod }: Pod) =>
    pod?.namespace === metadata?.namespace &&
    pod?.labels?.[Label.Cluster] === metadata?.name &&
    pod?.labels?.[Label.Group] === spec.groupName;
  const desired = spec.replicas ?? 0;
  const amounts =
    spec.suspend === true ? NO_AMOUNTS : timesAmounts(templateAmounts(spec), desired * (spec.numOfHosts ?? 1));
  return {
    namespace: metadata?.namespace ?? '',
    name: spec.groupName,
    min: spec.minReplicas ?? 0,
    max: spec.maxReplicas ?? MAX_INT32,
    ready: pods.filter((pod) => isOfGroup(pod) && isRunningAndReady(pod)).length,
    desired,
    cpus: amountText(amounts, 'cpu'),
    gpus: amountText(amounts, GPU),
    tpus: amountText(amounts, TPU),
    memory: amountText(amounts, 'memory'),
    cluster: metadata?.name ?? '',
  };
}

function templateAmounts({ template }: WorkerGroupSpec): Amounts {
  return (template.spec?.containers ?? []).map(containerAmounts).reduce(addAmounts, NO_AMOUNTS);
}

function groupTable(rows: readonly GroupRow[], withNamespace: boolean) {
  const namespaces = withNamespace ? ['Namespace'] : [];
  return {
    columns: [...namespaces, 'Name', 'Min', 'Max', 'Replicas', 'CPUs', 'GPUs', 'TPUs', 'Memory', 'Cluster'],
    rows: rows.map((row) => [
      ...(withNamespace ? [row.namespace] : []),
      row.name,
      String(row.min),
      String(row.max),
      `${row.ready}/${row.desired}`,
      row.cpus,
      row.gpus,
      row.tpus,
      row.memory,
      row.cluster,
    ]),
  };
}

function notFound(group: string, cluster: string | undefined, namespace: string | undefined): string {
  const where = namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
  return `Ray worker group ${group} not found in ${where} in ${cluster === undefined ? 'any Ray cluster' : `Ray cluster ${cluster}`}`;
}
