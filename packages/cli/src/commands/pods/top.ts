import { Label, LabelValue, type Pod } from '@manta/api';
import { isForbidden, isNotFound, resources } from '@manta/kube';
import { failedTo, messageOf } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { tableLines } from '../../output/table.ts';
import { sizeText } from '../../pack/pack-directory.ts';
import { resolveTarget } from '../../resolve-target.ts';
import { connectToHead } from '../connect-to-head.ts';
import { PodSelection } from '../logs/pod-selection.ts';
import { requestsOf, type Usage, usageFromMetrics, usageFromRay } from './usage.ts';

/** `top [NAME | TYPE/NAME]`: what Ray pods use of what they request, from the metrics API, else from each cluster's Ray dashboard. */
export async function top(call: Invocation, text: string | undefined): Promise<void> {
  const namespace = await call.namespace();
  const client = await call.client();
  const target = text === undefined ? undefined : await resolveTarget(client, namespace, text);
  const selection = new PodSelection(client, namespace, target, { nodeType: 'all' });
  const labelSelector = `${Label.IsRayNode}=${LabelValue.IsRayNode}`;
  const { items } = await client.list(resources.pods, { namespace, labelSelector }).catch((error: unknown) => {
    throw failedTo('unable to list Ray pods', error);
  });
  const pods: Pod[] = [];
  for (const pod of items) if (await selection.has(pod)) pods.push(pod);
  if (pods.length === 0) {
    call.say(`No Ray pods in namespace ${namespace}${text === undefined ? '' : ` for ${text}`}.`);
    return;
  }
  const usage = (await metricsUsage(call, namespace)) ?? (await rayUsage(call, namespace, pods));
  const columns = ['Pod', 'Type', 'Group', 'CPU', 'CPU %', 'Memory', 'Memory %', 'GPU %', 'Object Store'];
  call.print(tableLines({ columns, rows: pods.map((pod) => rowOf(pod, usage(pod))) }).join('\n'));
}

type UsageOf = (pod: Pod) => Usage | undefined;

function rowOf(pod: Pod, usage: Usage | undefined): readonly string[] {
  const labels = pod.metadata?.labels ?? {};
  const requested = requestsOf(pod);
  const cells =
    usage === undefined
      ? ['?', '?', '?', '?', '', '']
      : [
          `${usage.milliCpus}m`,
          share(usage.milliCpus, requested.milliCpus),
          sizeText(usage.memoryBytes),
          share(usage.memoryBytes, requested.memoryBytes),
          usage.gpuPercent === undefined ? '' : `${usage.gpuPercent} %`,
          usage.objectStoreBytes === undefined ? '' : sizeText(usage.objectStoreBytes),
        ];
  return [pod.metadata?.name ?? '', labels[Label.NodeType] ?? '', labels[Label.Group] ?? '', ...cells];
}

/** The share of what the pod requests; empty when it requests nothing. */
function share(used: number, requested: number): string {
  return requested === 0 ? '' : `${Math.round((100 * used) / requested)} %`;
}

/** Undefined when the cluster has no metrics API, or the user may not read it. */
async function metricsUsage(call: Invocation, namespace: string): Promise<UsageOf | undefined> {
  const client = await call.client();
  try {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const byName = usageFromMetrics(await client.getPath(path));
    return (pod) => byName.get(pod.metadata?.name ?? '');
  } catch (error) {
    if (isForbidden(error)) call.say('You may not list pods.metrics.k8s.io: the Ray dashboards are asked instead.');
    else if (!isNotFound(error)) call.say(`The metrics API does not answer: ${messageOf(error)}`);
    return undefined;
  }
}

async function rayUsage(call: Invocation, namespace: string, pods: readonly Pod[]): Promise<UsageOf> {
  const clusters = [...new Set(pods.map(({ metadata }) => metadata?.labels?.[Label.Cluster] ?? ''))];
  const byAddress = new Map<string, Usage>();
  for (const cluster of clusters) {
    try {
      const head = await connectToHead(call, namespace, cluster, { headers: {}, tls: {} }, () => undefined);
      try {
        for (const [ip, usage] of usageFromRay(await head.read('/nodes?view=summary'))) byAddress.set(ip, usage);
      } finally {
        await head.close();
      }
    } catch (error) {
      call.world.signal.throwIfAborted();
      call.say(`The Ray dashboard of cluster ${cluster} does not answer: ${messageOf(error)}`);
    }
  }
  return (pod) => byAddress.get(pod.status?.podIP ?? '');
}
