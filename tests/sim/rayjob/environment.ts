import { Annotation, type Container, ContainerName, Label, NodeType } from '@manta/api';
import { CONTROLLERS, startController } from '@manta/controllers';
import { type StoredObject, type StoreEvent } from '@manta/apiserver';
import { resources } from '@manta/kube';
import { quietly } from '../raycluster/quietly.ts';
import type { Backstage } from '../scenario.ts';
import { REMOVE_MS, stoppedStatus } from '../stopped-pod.ts';
import { submitByHand } from './by-hand.ts';
import { isProvisioned, markComing, markLost, markReady } from './cluster-status.ts';
import { RAY_CONTAINER } from './ledger.ts';
import { asCluster, asJob, isGoing, NAMESPACE, ownerOf, STORED } from './stage.ts';
import { runSidecar, runSubmitter } from './submitters.ts';

/** A garbage collector, clusters whose heads come up, and whoever submits jobs. All of them work, in their own time. */
export function environment(backstage: Backstage): void {
  const { api, client, clock } = backstage;
  const cluster = {
    world: { clock, newUid: () => '', random: () => 0.5 },
    store: api.store,
    writes: client,
    resources: () => api.registry.all().map(({ info }) => info),
  };
  startController(cluster, CONTROLLERS['garbage-collector'](cluster));
  for (const found of api.store.list(STORED.clusters)) begin(backstage, found);
  api.store.watch(api.store.revision, (event) => followCluster(backstage, event), STORED.clusters);
  api.store.watch(api.store.revision, (event) => followPod(backstage, event), STORED.pods);
  api.store.watch(api.store.revision, (event) => followSubmitter(backstage, event), STORED.submitters);
  api.store.watch(api.store.revision, (event) => followUser(backstage, event), STORED.jobs);
}

const START_MS = [0, 100, 2_000, 10_000];

function followCluster(backstage: Backstage, { type, object }: StoreEvent): void {
  if (type === 'ADDED') begin(backstage, object);
}

function begin(backstage: Backstage, cluster: StoredObject): void {
  backstage.clock.setTimer(0, () => markComing(backstage, cluster.metadata.name));
  raiseHead(backstage, cluster);
}

function followSubmitter(backstage: Backstage, { type, object }: StoreEvent): void {
  if (type === 'ADDED') runSubmitter(backstage, object);
}

function followUser(backstage: Backstage, { object, before }: StoreEvent): void {
  const stageOf = (job: StoredObject | undefined) => job && asJob(job).status?.jobDeploymentStatus;
  if (stageOf(object) === 'Waiting' && stageOf(before) !== 'Waiting') submitByHand(backstage, object);
}

/** Pods need their time to go. */
const LINGER = 'sim/linger';
const LINGER_MS = [100, 1_000, 12_000];

function lingers({ metadata }: StoredObject): boolean {
  return metadata.finalizers?.includes(LINGER) === true;
}

/** Its containers end, which its status reports; then it is removed. */
function letGo({ api, clock, choices }: Backstage, { metadata: { name, uid } }: StoredObject): void {
  const key = { resource: STORED.pods, namespace: NAMESPACE, name };
  const current = () => {
    const pod = api.store.get(key);
    return pod?.metadata.uid === uid ? pod : undefined;
  };
  clock.setTimer(LINGER_MS[choices.pick(LINGER_MS.length)] ?? 0, () => {
    const pod = current();
    const status = pod && stoppedStatus(pod, clock.now());
    if (pod !== undefined && status !== undefined) api.store.update(key, { ...pod, status });
    clock.setTimer(REMOVE_MS[choices.pick(REMOVE_MS.length)] ?? 0, () => {
      if (current() !== undefined) api.store.delete(key);
    });
  });
}

/** A head that goes is replaced, unless its cluster forbids it. */
function followPod(backstage: Backstage, { type, object, before }: StoreEvent): void {
  if (type === 'MODIFIED' && before !== undefined && isGoing(object) && !isGoing(before) && lingers(object))
    letGo(backstage, object);
  if (type !== 'DELETED') return;
  const name = object.metadata.labels?.[Label.Cluster] ?? '';
  const cluster = backstage.api.store.get({ resource: STORED.clusters, namespace: NAMESPACE, name });
  const isItsHead = cluster !== undefined && ownerOf(object) === cluster.metadata.uid;
  // Of several that go one after another only one is replaced: a cluster has one head.
  if (!isItsHead || isGoing(cluster) || hasHead(backstage, cluster)) return;
  markLost(backstage, name, object.metadata.name);
  const isOnlyHead = cluster.metadata.annotations?.[Annotation.DisableProvisionedHeadRestart] === 'true';
  if (isOnlyHead && isProvisioned(asCluster(cluster).status)) return;
  raiseHead(backstage, cluster);
}

function raiseHead(backstage: Backstage, cluster: StoredObject): void {
  const { clock, choices } = backstage;
  clock.setTimer(START_MS[choices.pick(START_MS.length)] ?? 0, () => raiseNow(backstage, cluster));
}

function raiseNow(backstage: Backstage, { metadata: { name, uid } }: StoredObject): void {
  const { store } = backstage.api;
  const cluster = store.get({ resource: STORED.clusters, namespace: NAMESPACE, name });
  if (cluster?.metadata.uid !== uid || isGoing(cluster) || hasHead(backstage, cluster)) return;
  const service = store.get({ resource: STORED.services, namespace: NAMESPACE, name: `${name}-head-svc` });
  // One that comes back under its name waits until the Service that it had before is gone.
  if (service === undefined || ownerOf(service) === uid) void quietly(bringUp(backstage, cluster));
  else backstage.clock.setTimer(1_000, () => raiseNow(backstage, cluster));
}

function hasHead({ api }: Backstage, { metadata }: StoredObject): boolean {
  return api.store.list(STORED.pods).some((pod) => !isGoing(pod) && ownerOf(pod) === metadata.uid);
}

/** What the RayCluster controller and a kubelet would do, at once. */
async function bringUp(backstage: Backstage, cluster: StoredObject): Promise<void> {
  const { api, client, choices } = backstage;
  const { name, uid } = cluster.metadata;
  const ownerReferences = [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name, uid, controller: true }];
  const labels = { [Label.Cluster]: name, [Label.NodeType]: NodeType.Head };
  const service = `${name}-head-svc`;
  if (api.store.get({ resource: STORED.services, namespace: NAMESPACE, name: service }) === undefined) {
    const ports = [{ name: 'dashboard', port: 8265 }];
    const metadata = { name: service, namespace: NAMESPACE, labels, ownerReferences };
    await client.create(resources.services, { metadata, spec: { ports, selector: labels } });
  }
  const containers = asCluster(cluster).spec?.headGroupSpec.template.spec?.containers ?? [];
  const finalizers = choices.chance(0.6) ? [LINGER] : [];
  const head = `${name}-head-${api.store.revision}`;
  const metadata = { name: head, namespace: NAMESPACE, labels, ownerReferences, finalizers };
  const pod = await client.create(resources.pods, { metadata, spec: { containers, restartPolicy: 'Never' } });
  const key = { resource: STORED.pods, namespace: NAMESPACE, name: pod.metadata?.name ?? '' };
  const stored = api.store.get(key);
  if (stored === undefined) return;
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const containerStatuses = [{ name: RAY_CONTAINER, restartCount: 0 }];
  const status = { phase: 'Running', podIP: '10.0.0.1', conditions, containerStatuses };
  const running = api.store.update(key, { ...stored, status });
  markReady(backstage, name, running.metadata.name);
  if (containers.some((each: Container) => each.name === ContainerName.Submitter)) runSidecar(backstage, running);
}
