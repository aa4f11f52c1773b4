import { Label, LabelValue, type Pod } from '@manta/api';
import { resources } from '@manta/kube';
import { CliError, failedTo } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { ageOf } from '../output/age.ts';
import { GPU, TPU } from '../output/amount-text.ts';
import { formatObjects, outputFormat } from '../output/print-objects.ts';
import { quantityText } from '../output/quantity-text.ts';
import type { Table } from '../output/table.ts';
import type { GetOfClusterFlags } from './get-flags.ts';
import { showAndWatch } from './show-and-watch.ts';

/** `get node [NODE]`: Ray's nodes, which are the head and worker pods. */
export async function getNode(call: Invocation, name: string | undefined, flags: GetOfClusterFlags): Promise<void> {
  const format = outputFormat(flags.output);
  const namespace = await call.scope(flags.allNamespaces);
  await showAndWatch(call, flags, { type: resources.pods, namespace }, async () => {
    const items = await rayPods(call, name, namespace, flags);
    const table = (isWide: boolean) => nodeTable(items, flags.allNamespaces === true, isWide, call.world.clock.now());
    return formatObjects(format, { type: resources.pods, items, isSingle: name !== undefined, table });
  });
}

async function rayPods(
  call: Invocation,
  name: string | undefined,
  namespace: string | undefined,
  { rayCluster, selector }: GetOfClusterFlags,
): Promise<readonly Pod[]> {
  const labels = [
    `${Label.IsRayNode}=${LabelValue.IsRayNode}`,
    ...(rayCluster === undefined ? [] : [`${Label.Cluster}=${rayCluster}`]),
    ...(selector === undefined ? [] : [selector]),
  ];
  const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
  const client = await call.client();
  const { items } = await client
    .list(resources.pods, { namespace, labelSelector: labels.join(','), fieldSelector })
    .catch((error: unknown) => {
      throw failedTo('unable to get Ray nodes', error);
    });
  if (name === undefined || items.length > 0) return items;
  const where = namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
  const cluster = rayCluster === undefined ? 'any Ray cluster' : `Ray cluster ${rayCluster}`;
  throw new CliError(`Ray node ${name} not found in ${where} in ${cluster}`);
}

function nodeTable(pods: readonly Pod[], withNamespace: boolean, isWide: boolean, now: number): Table {
  const columns = ['Name', 'CPUs', 'GPUs', 'TPUs', 'Memory', 'Cluster', 'Type', 'Worker Group', 'Age'];
  return {
    columns: [...(withNamespace ? ['Namespace'] : []), ...columns, ...(isWide ? ['Phase', 'IP', 'Node'] : [])],
    rows: pods.map(({ metadata, spec, status }) => {
      const requests = spec?.containers[0]?.resources?.requests ?? {};
      return [
        ...(withNamespace ? [metadata?.namespace ?? ''] : []),
        metadata?.name ?? '',
        quantityText(requests['cpu']),
        quantityText(requests[GPU]),
        quantityText(requests[TPU]),
        quantityText(requests['memory']),
        metadata?.labels?.[Label.Cluster] ?? '',
        metadata?.labels?.[Label.NodeType] ?? '',
        metadata?.labels?.[Label.Group] ?? '',
        ageOf(metadata?.creationTimestamp, now),
        ...(isWide ? [status?.phase ?? '', status?.podIP ?? '', spec?.nodeName ?? ''] : []),
      ];
    }),
  };
}
