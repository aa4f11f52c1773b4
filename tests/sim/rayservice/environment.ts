import { Label, NodeType, type RayCluster } from '@manta/api';
import { CONTROLLERS, startController } from '@manta/controllers';
import { type StoredObject, type StoreEvent } from '@manta/apiserver';
import { resources } from '@manta/kube';
import { quietly } from '../raycluster/quietly.ts';
import type { Backstage } from '../scenario.ts';
import { REMOVE_MS, stoppedStatus } from '../stopped-pod.ts';
import { asCluster, asPod, clusterOf, isGoing, isReadyPod, NAMESPACE, NEVER, STORED, STRANGER } from './stage.ts';

/** Kubernetes' own controllers, clusters that come up, pods that start and end, and a Gateway that takes its time. */
export function environment(backstage: Backstage): void {
  const { api, client, clock } = backstage;
  const cluster = {
    world: { clock, newUid: () => '', random: () => 0.5 },
    store: api.store,
    writes: client,
    resources: () => api.registry.all().map(({ info }) => info),
  };
  startController(cluster, CONTROLLERS['garbage-collector'](cluster));
  startController(cluster, CONTROLLERS['endpoint-slices'](cluster));
  const follow = (resource: (typeof STORED)[keyof typeof STORED], listener: (event: StoreEvent) => void) =>
    api.store.watch(api.store.revision, listener, resource);
  follow(STORED.clusters, (event) => followCluster(backstage, event));
  follow(STORED.pods, (event) => followPod(backstage, event));
  for (const kind of [STORED.gateways, STORED.routes]) follow(kind, (event) => followRouting(backstage, event));
}

const START_MS = [0, 0, 1_000, 8_000];
const LINGER_MS = [0, 100, 2_000, 20_000];
const PROGRAM_MS = [0, 0, 2_000, 30_000];

/** A cluster gets its head Service and its pods. */
function followCluster(backstage: Backstage, { type, object }: StoreEvent): void {
  if (type !== 'ADDED' || object.metadata.name === STRANGER) return;
  const { clock, choices } = backstage;
  clock.setTimer(START_MS[choices.pick(4)] ?? 0, () => void quietly(populate(backstage, object)));
}

async function populate(backstage: Backstage, cluster: StoredObject): Promise<void> {
  const { client, api, clock } = backstage;
  const { name, uid } = cluster.metadata;
  const current = api.store.get({ resource: STORED.clusters, namespace: NAMESPACE, name });
  if (current?.metadata.uid !== uid || isGoing(current)) return;
  // One that comes back under its name waits until what it had before is gone.
  const isLeft = [STORED.pods, STORED.kubeServices].some((kind) =>
    api.store.list(kind).some((object) => clusterOf(object) === name && !isOwnedBy(object, uid)),
  );
  if (isLeft) {
    clock.setTimer(1_000, () => void quietly(populate(backstage, cluster)));
    return;
  }
  const ownerReferences = [ownerReference(cluster)];
  const metadata = (suffix: string, labels: Record<string, string>) => ({
    name: `${name}-${suffix}`,
    namespace: NAMESPACE,
    labels: { [Label.Cluster]: name, ...labels },
    ownerReferences,
  });
  const ports = [
    { name: 'dashboard', port: 8265 },
    { name: 'serve', port: 8000 },
  ];
  const selector = { [Label.Cluster]: name, [Label.NodeType]: NodeType.Head };
  const head = { [Label.NodeType]: NodeType.Head, [Label.Serve]: 'false' };
  const worker = { [Label.NodeType]: NodeType.Worker, [Label.Serve]: 'true' };
  await client.create(resources.services, { metadata: metadata('head-svc', head), spec: { ports, selector } });
  await client.create(resources.pods, { metadata: metadata('head', head), spec: POD });
  await client.create(resources.pods, { metadata: metadata('worker', worker), spec: POD });
}

function isOwnedBy({ metadata }: StoredObject, uid: string): boolean {
  // The service's own Services name a cluster and belong to the service.
  const [owner] = metadata.ownerReferences ?? [];
  return owner?.kind !== 'RayCluster' || owner.uid === uid;
}

const POD = { containers: [{ name: 'ray', image: 'ray', ports: [{ name: 'serve', containerPort: 8000 }] }] };

function ownerReference({ metadata }: StoredObject) {
  return { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: metadata.name, uid: metadata.uid, controller: true };
}

/** Pods start, end when told to, and heads come back under a new identity. */
function followPod(backstage: Backstage, { type, object, before }: StoreEvent): void {
  const { clock, choices, client } = backstage;
  const { name, ownerReferences } = object.metadata;
  if (type === 'ADDED') clock.setTimer(START_MS[choices.pick(4)] ?? 0, () => startPod(backstage, object));
  if (type === 'MODIFIED' && isGoing(object) && before !== undefined && !isGoing(before)) {
    clock.setTimer(LINGER_MS[choices.pick(4)] ?? 0, () => stopPod(backstage, object));
  }
  if (type !== 'DELETED') return;
  tellCluster(backstage, clusterOf(object));
  clock.setTimer(START_MS[choices.pick(4)] ?? 0, () => {
    const owner = backstage.api.store.get({ resource: STORED.clusters, namespace: NAMESPACE, name: clusterOf(object) });
    if (owner?.metadata.uid !== ownerReferences?.[0]?.uid || owner === undefined || isGoing(owner)) return;
    const labels = { ...object.metadata.labels };
    if (labels[Label.NodeType] === NodeType.Head) labels[Label.Serve] = 'false';
    const again = {
      metadata: { name, namespace: NAMESPACE, labels, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
      spec: POD,
    };
    void quietly(client.create(resources.pods, again));
  });
}

/** Its containers end, which its status reports; then it is removed. */
function stopPod({ api, client, clock, choices }: Backstage, { metadata: { name, uid } }: StoredObject): void {
  const key = { resource: STORED.pods, namespace: NAMESPACE, name };
  const pod = api.store.get(key);
  if (pod?.metadata.uid !== uid) return;
  const status = stoppedStatus(asPod(pod), clock.now());
  if (status !== undefined) api.store.update(key, { ...pod, status });
  clock.setTimer(REMOVE_MS[choices.pick(3)] ?? 0, () => {
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    void quietly(client.delete(resources.pods, { name, namespace: NAMESPACE }, options));
  });
}

function startPod(backstage: Backstage, { metadata: { name, uid } }: StoredObject): void {
  const { api } = backstage;
  const key = { resource: STORED.pods, namespace: NAMESPACE, name };
  const pod = api.store.get(key);
  if (pod === undefined || pod.metadata.uid !== uid || isGoing(pod)) return;
  const address = `10.0.${Math.floor(Number(uid.slice(-5)) / 250) % 250}.${1 + (Number(uid.slice(-5)) % 250)}`;
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True' }));
  const status = { phase: 'Running', podIP: address, podIPs: [{ ip: address }], conditions };
  api.store.update(key, {
    ...pod,
    spec: { ...(pod as { spec?: object }).spec, nodeName: 'n1' },
    status,
  });
  tellCluster(backstage, clusterOf(pod));
}

/** What the RayCluster controller would say of a cluster. */
function tellCluster({ api, clock }: Backstage, name: string): void {
  const key = { resource: STORED.clusters, namespace: NAMESPACE, name };
  const cluster = api.store.get(key);
  if (cluster === undefined) return;
  const heads = api.store
    .list(STORED.pods)
    .filter(
      (pod) => clusterOf(pod) === name && pod.metadata.labels?.[Label.NodeType] === NodeType.Head && isReadyPod(pod),
    );
  const status = heads.length > 0 ? 'True' : 'False';
  const held = asCluster(cluster).status?.conditions?.find(({ type }) => type === 'HeadPodReady');
  if (held?.status === status) return;
  const lastTransitionTime = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const condition = { type: 'HeadPodReady', status, reason: 'HeadPod', message: '', lastTransitionTime } as const;
  const written: RayCluster['status'] = { conditions: [condition], state: 'ready' };
  api.store.update(key, { ...cluster, status: written });
}

/** Whoever serves Gateways accepts what comes sooner or later, and now and then never. */
function followRouting({ api, clock, choices }: Backstage, { type, key, object }: StoreEvent): void {
  if (type !== 'ADDED') return;
  if (choices.chance(0.05)) {
    clock.setTimer(0, () => {
      const current = api.store.get(key);
      if (current?.metadata.uid !== object.metadata.uid) return;
      const annotations = { ...current.metadata.annotations, [NEVER]: 'true' };
      api.store.update(key, { ...current, metadata: { ...current.metadata, annotations } });
    });
    return;
  }
  clock.setTimer(PROGRAM_MS[choices.pick(4)] ?? 0, () => {
    const current = api.store.get(key);
    if (current?.metadata.uid !== object.metadata.uid) return;
    const lastTransitionTime = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const yes = (kind: string) => ({ type: kind, status: 'True', reason: kind, message: '', lastTransitionTime });
    const parentRef = { name: key.name.replace('httproute', 'gateway'), namespace: NAMESPACE };
    const status =
      key.resource === STORED.gateways
        ? { conditions: [yes('Accepted'), yes('Programmed')] }
        : { parents: [{ parentRef, controllerName: 'sim', conditions: [yes('Accepted'), yes('ResolvedRefs')] }] };
    api.store.update(key, { ...current, status });
  });
}
