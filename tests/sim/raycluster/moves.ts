import { ManagedBy, type RayCluster, type RayClusterSpec, type WorkerGroupSpec } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import { isInvalid, type ResourceType, resources } from '@manta/kube';
import type { Backstage, Move } from '../scenario.ts';
import { loseNode, setStatus } from './nodes.ts';
import { quietly } from './quietly.ts';
import { anyEdit, isValid } from './spec-edits.ts';
import {
  asCluster,
  asPod,
  CLUSTERS,
  createCluster,
  GROUPS,
  groupOf,
  hasEnded,
  isGoing,
  isWorker,
  NAMESPACE,
  ownerOf,
  randomGroup,
  readiness,
  STORED,
  templateOf,
} from './stage.ts';

const RESOURCE_QUOTAS: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  isNamespaced: true,
};

/** What users, Ray's autoscaler and misfortune do to clusters and their pods. */
export const MOVES: Readonly<Record<string, Move>> = {
  scale: editGroup((group, { choices }) => ({ ...group, replicas: choices.pick(4) })),
  'the autoscaler adds': editGroup((group) => ({ ...group, replicas: (group.replicas ?? 0) + 1 }), isAutoscaled),
  'the autoscaler removes': editGroup(nameSome, isAutoscaled),
  'add a group': editSpec(addGroup),
  'remove a group': editSpec((spec) => ({ ...spec, workerGroupSpecs: (spec.workerGroupSpecs ?? []).slice(0, -1) })),
  suspend: editSpec((spec) => ({ ...spec, suspend: true })),
  resume: editSpec((spec) => ({ ...spec, suspend: false })),
  'change the image': editSpec((spec, { choices }) => ({
    ...spec,
    headGroupSpec: { ...spec.headGroupSpec, template: templateOf(`ray:${1 + choices.pick(3)}`) },
  })),
  'suspend a group': editGroup((group) => ({ ...group, suspend: true })),
  'resume a group': editGroup((group) => ({ ...group, suspend: false })),
  'edit any field': editSpec((spec, { choices }) => anyEdit(spec, choices)),
  'edit another field': editSpec((spec, { choices }) => anyEdit(anyEdit(spec, choices), choices)),
  'another manager for a while': handOver,
  'delete a pod': onPods(1, (pod, { client }) => client.delete(resources.pods, refTo(pod))),
  'evict a pod': onPods(1, evict),
  'pods fail': onPods(3, fail),
  'a container ends': onPods(1, endContainer),
  'a node is lost': loseNode,
  'delete or create a cluster': deleteOrCreate,
  'a quota for a while': quota,
};

function refTo({ metadata }: StoredObject): { readonly name: string; readonly namespace: string } {
  return { name: metadata.name, namespace: NAMESPACE };
}

type Condition = (spec: RayClusterSpec) => boolean;

function isAutoscaled({ enableInTreeAutoscaling }: RayClusterSpec): boolean {
  return enableInTreeAutoscaling === true;
}

/** Rewrites the spec of one of the clusters, where there is one that it can be done to. */
function editSpec(
  edit: (spec: RayClusterSpec, backstage: Backstage, cluster: RayCluster) => RayClusterSpec,
  when: Condition = () => true,
): Move {
  return async (backstage) => {
    const { api, client, choices } = backstage;
    const fit = api.store.list(STORED.clusters).filter((found) => !isGoing(found));
    const clusters = fit.map(asCluster).filter(({ spec }) => spec !== undefined && when(spec));
    const cluster = clusters[choices.pick(clusters.length)];
    if (cluster?.spec === undefined) return;
    const spec = edit(cluster.spec, backstage, cluster);
    if (!isValid(spec) && isValid(cluster.spec) && !choices.chance(0.1)) return;
    await client.update(resources.rayClusters, { ...cluster, spec }).catch((error: unknown) => {
      // The API server has the last word on what a spec may say.
      if (!isInvalid(error)) throw error;
    });
  };
}

function editGroup(
  edit: (group: WorkerGroupSpec, backstage: Backstage, cluster: RayCluster) => WorkerGroupSpec,
  when?: Condition,
): Move {
  return editSpec((spec, backstage, cluster) => {
    const groups = spec.workerGroupSpecs ?? [];
    const chosen = backstage.choices.pick(groups.length);
    const workerGroupSpecs = groups.map((group, at) => (at === chosen ? edit(group, backstage, cluster) : group));
    return { ...spec, workerGroupSpecs };
  }, when);
}

/** As Ray's autoscaler does it: names the idle ones and asks for as many fewer. */
function nameSome(group: WorkerGroupSpec, { api, choices }: Backstage, { metadata }: RayCluster): WorkerGroupSpec {
  const pods = api.store.list(STORED.pods).filter((pod) => ownerOf(pod) === metadata?.uid && !isGoing(pod));
  const mine = pods.filter((pod) => isWorker(pod) && groupOf(pod) === group.groupName);
  const first = choices.pick(mine.length);
  const workersToDelete = mine.slice(first, first + 1 + choices.pick(2)).map(({ metadata: { name } }) => name);
  const leaving = Math.ceil(workersToDelete.length / (group.numOfHosts ?? 1));
  const replicas = Math.max(0, (group.replicas ?? 0) - leaving);
  return { ...group, replicas, scaleStrategy: { workersToDelete } };
}

function addGroup(spec: RayClusterSpec, { choices }: Backstage): RayClusterSpec {
  const groups = spec.workerGroupSpecs ?? [];
  const free = GROUPS.find((name) => !groups.some(({ groupName }) => groupName === name));
  return free === undefined ? spec : { ...spec, workerGroupSpecs: [...groups, randomGroup(choices, free)] };
}

/** Does something to some pods of clusters that are neither going nor gone. */
function onPods(most: number, act: (pod: StoredObject, backstage: Backstage) => Promise<unknown>): Move {
  return async (backstage) => {
    const { api, choices } = backstage;
    const pods = api.store.list(STORED.pods).filter((pod) => ownerOf(pod) !== undefined && !isGoing(pod));
    const first = choices.pick(pods.length);
    for (const pod of pods.slice(first, first + most)) await act(pod, backstage);
  };
}

/** Every way in which a pod ends by itself: pushed off its node, out of memory, its node gone. */
async function fail(pod: StoredObject, { api, choices }: Backstage): Promise<void> {
  if (hasEnded(pod)) return;
  const reason = ['Evicted', 'OOMKilled', 'NodeLost'][choices.pick(3)] ?? 'Evicted';
  const phase = choices.chance(0.1) ? 'Succeeded' : 'Failed';
  setStatus(api, pod, { phase, reason, conditions: readiness('False') });
}

/** Ray ends in a pod that goes on, because of a sidecar. The kubelet starts it again unless told never to. */
async function endContainer(pod: StoredObject, { api, clock }: Backstage): Promise<void> {
  const { spec, status } = asPod(pod);
  if (status?.phase !== 'Running') return;
  const terminated = { exitCode: 1, reason: 'Error' };
  const state = { name: 'ray', ready: false, restartCount: 0, image: '', imageID: '', state: { terminated } };
  setStatus(api, pod, { conditions: readiness('False'), containerStatuses: [state] });
  if (spec?.restartPolicy === 'Never') return;
  clock.setTimer(RESTART_MS, () => {
    const current = api.store.get({ resource: STORED.pods, ...refTo(pod) });
    if (current?.metadata.uid !== pod.metadata.uid || hasEnded(current)) return;
    setStatus(api, current, { conditions: readiness('True'), containerStatuses: [] });
  });
}

/** What a container takes to come back. */
const RESTART_MS = 3_000;

async function evict(pod: StoredObject, { client }: Backstage): Promise<void> {
  const metadata = refTo(pod);
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}/eviction`;
  await quietly(client.post(path, { apiVersion: 'policy/v1', kind: 'Eviction', metadata }));
}

async function deleteOrCreate(backstage: Backstage): Promise<void> {
  const { api, client, choices } = backstage;
  const name = CLUSTERS[choices.pick(CLUSTERS.length)] ?? 'a';
  const found = api.store.get({ resource: STORED.clusters, namespace: NAMESPACE, name });
  if (found === undefined) await createCluster(backstage, name);
  else if (!isGoing(found)) await client.delete(resources.rayClusters, { name, namespace: NAMESPACE });
}

/** Who manages a cluster may be said later, and taken back. */
async function handOver({ api, client, clock, choices }: Backstage): Promise<void> {
  const found = api.store.list(STORED.clusters).filter((each) => !isGoing(each));
  const chosen = found[choices.pick(found.length)];
  if (chosen === undefined || asCluster(chosen).spec?.managedBy !== undefined) return;
  const patch = (managedBy: string | null) => ({ type: 'merge', body: { spec: { managedBy } } }) as const;
  await quietly(client.patch(resources.rayClusters, refTo(chosen), patch(ManagedBy.MultiKueue)));
  const untilMs = 500 + 1_000 * choices.pick(20);
  clock.setTimer(untilMs, () => void quietly(client.patch(resources.rayClusters, refTo(chosen), patch(null))));
}

/** For some seconds the namespace may hold hardly any pods. */
async function quota({ api, client, clock, choices }: Backstage): Promise<void> {
  const ref = { name: 'narrow', namespace: NAMESPACE };
  if (api.store.get({ resource: '/resourcequotas', ...ref }) !== undefined) return;
  const pods = api.store.list(STORED.pods).length + choices.pick(3);
  const quotaObject = { metadata: ref, spec: { hard: { pods: String(pods) } } };
  await client.create(RESOURCE_QUOTAS, quotaObject);
  clock.setTimer(1_000 + 1_000 * choices.pick(20), () => void client.delete(RESOURCE_QUOTAS, ref));
}
