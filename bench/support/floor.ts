import type { KubeObject, Pod, RayCluster } from '@manta/api';
import { type KubeClient, resources, type ResourceType } from '@manta/kube';
import { inParallel } from './clients.ts';
import { onClusterStage } from './cluster-stage.ts';

const EVENTS: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  isNamespaced: true,
};
/** As many clusters are under way at once as an operator would have. */
const AT_ONCE = 64;

/**
 * What the API server needs at the least: a driver that decides nothing and writes, for each cluster, the Service, the pods, three Events
 * and one more count, and two statuses, the second when the pods are ready. Seconds for all of it.
 */
export async function measureFloor(clusters: readonly RayCluster[], readyMs: number): Promise<number> {
  const waiting = new Map<string, () => void>();
  const onReady = ({ metadata }: Pod) => waiting.get(metadata?.labels?.['bench/cluster'] ?? '')?.();
  return await onClusterStage({ readyMs, onReady }, async ({ client }) => {
    const startedAt = performance.now();
    await inParallel(clusters, AT_ONCE, (cluster) => bringUp(client, cluster, waiting));
    return (performance.now() - startedAt) / 1000;
  });
}

async function bringUp(client: KubeClient, cluster: RayCluster, waiting: Map<string, () => void>): Promise<void> {
  const { name = '', namespace = '' } = cluster.metadata ?? {};
  const made = await client.create(resources.rayClusters, cluster);
  const workers = cluster.spec?.workerGroupSpecs?.[0]?.replicas ?? 0;
  await client.create(resources.services, serviceOf(name, namespace));
  let left = workers + 1;
  const ready = new Promise<void>((done) => {
    waiting.set(`${namespace}.${name}`, () => {
      left -= 1;
      if (left === 0) done();
    });
  });
  for (let at = 0; at <= workers; at += 1) await client.create(resources.pods, podOf(cluster, at));
  for (let at = 0; at < 3; at += 1) await client.create(EVENTS, eventOf(made, at));
  const series = { series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' } };
  await client.patch(EVENTS, { name: `${name}.0`, namespace }, { type: 'merge', body: series });
  await writeStatus(client, made, { desiredWorkerReplicas: workers });
  await ready;
  await writeStatus(client, made, { state: 'ready', readyWorkerReplicas: workers });
}

async function writeStatus(client: KubeClient, { metadata }: RayCluster, status: object): Promise<void> {
  const ref = { name: metadata?.name ?? '', namespace: metadata?.namespace };
  await client.patch(resources.rayClusters, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
}

function serviceOf(name: string, namespace: string): KubeObject {
  const ports = [6379, 8265, 10_001, 8080, 8000].map((port) => ({ name: `port-${port}`, port }));
  return { metadata: { name: `${name}-head-svc`, namespace }, spec: { selector: { name }, ports } } as KubeObject;
}

/** About as large as a real one: thirty variables, probes, volumes. */
function podOf({ metadata, spec }: RayCluster, at: number): Pod {
  const { name = '', namespace = '' } = metadata ?? {};
  const env = Array.from({ length: 30 }, (_, index) => ({ name: `VARIABLE_${index}`, value: `value of ${index}` }));
  const probe = {
    exec: { command: ['bash', '-c', 'wget -T 2 -q -O- http://localhost:52365/api/local_raylet_healthz'] },
  };
  const template = spec?.headGroupSpec.template.spec;
  const containers = (template?.containers ?? []).map((container) => ({
    ...container,
    env,
    livenessProbe: probe,
    readinessProbe: probe,
    volumeMounts: [{ name: 'shared-mem', mountPath: '/dev/shm' }],
  }));
  const volumes = [{ name: 'shared-mem', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }];
  const labels = { 'bench/cluster': `${namespace}.${name}`, 'ray.io/cluster': name, 'ray.io/group': 'small' };
  return { metadata: { name: `${name}-${at}`, namespace, labels }, spec: { ...template, containers, volumes } };
}

function eventOf({ metadata }: RayCluster, at: number): KubeObject {
  const { name = '', namespace = '', uid } = metadata ?? {};
  return {
    metadata: { name: `${name}.${at}`, namespace },
    regarding: { apiVersion: 'ray.io/v1', kind: 'RayCluster', name, namespace, uid },
    reason: 'CreatedWorkerPod',
    action: 'Create',
    note: `Created worker Pod ${namespace}/${name}-${at}`,
    type: 'Normal',
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'raycluster-controller',
    reportingInstance: 'bench',
  } as KubeObject;
}
