import { CONTROLLERS, startController } from '@manta/controllers';
import { type StoredObject, type StoreEvent } from '@manta/apiserver';
import { resources } from '@manta/kube';
import type { Backstage } from '../scenario.ts';
import { anyNode, deafMs, setStatus } from './nodes.ts';
import { REMOVE_MS, stoppedStatus } from '../stopped-pod.ts';
import { quietly } from './quietly.ts';
import { asPod, hasEnded, isGoing, NAMESPACE, readiness, STORED } from './stage.ts';

/** A garbage collector, nodes that run pods, and Jobs that end. All of them work, in their own time. */
export function environment(backstage: Backstage): void {
  const { api, client, clock } = backstage;
  const cluster = {
    world: { clock, newUid: () => '', random: () => 0.5 },
    store: api.store,
    writes: client,
    resources: () => api.registry.all().map(({ info }) => info),
  };
  startController(cluster, CONTROLLERS['garbage-collector'](cluster));
  api.store.watch(api.store.revision, (event) => followPod(backstage, event), STORED.pods);
  api.store.watch(api.store.revision, (event) => followJob(backstage, event), STORED.jobs);
}

const START_MS = [0, 100, 2_000, 10_000];
const LINGER_MS = [0, 10, 1_000, 20_000];
const RETRY_MS = 5_000;

function followPod(backstage: Backstage, { type, object, before }: StoreEvent): void {
  const { clock, choices } = backstage;
  if (type === 'ADDED') {
    clock.setTimer(START_MS[choices.pick(4)] ?? 0, () => startPod(backstage, object));
  } else if (type === 'MODIFIED' && isGoing(object) && before !== undefined && !isGoing(before)) {
    const lingerMs = Math.max(LINGER_MS[choices.pick(4)] ?? 0, deafMs(backstage, object));
    clock.setTimer(lingerMs, () => stopPod(backstage, object));
  }
}

/** Gives it a node and makes it ready, in one write; waits while there is no node. */
function startPod(backstage: Backstage, object: StoredObject): void {
  const { api, clock } = backstage;
  const { name, uid } = object.metadata;
  const key = { resource: STORED.pods, namespace: NAMESPACE, name };
  const pod = api.store.get(key);
  if (pod === undefined || pod.metadata.uid !== uid || isGoing(pod) || hasEnded(pod)) return;
  const nodeName = anyNode(backstage);
  if (nodeName === undefined) {
    clock.setTimer(RETRY_MS, () => startPod(backstage, object));
    return;
  }
  const { spec, status } = asPod(pod);
  const address = `10.0.0.${Number(uid.slice(-3)) % 250}`;
  const running = { phase: 'Running', podIP: address, podIPs: [{ ip: address }], conditions: readiness('True') };
  api.store.update(key, { ...pod, spec: { ...spec, nodeName }, status: { ...status, ...running } });
}

/** Its containers end, which its status reports; then it is removed. */
function stopPod(backstage: Backstage, object: StoredObject): void {
  const { api, clock, choices } = backstage;
  const { name, uid } = object.metadata;
  const pod = api.store.get({ resource: STORED.pods, namespace: NAMESPACE, name });
  if (pod === undefined || pod.metadata.uid !== uid) return;
  const status = stoppedStatus(asPod(pod), clock.now());
  if (status !== undefined) setStatus(api, pod, status);
  clock.setTimer(REMOVE_MS[choices.pick(3)] ?? 0, () => void quietly(endPod(backstage, object)));
}

async function endPod({ client }: Backstage, { metadata: { name, uid } }: StoredObject): Promise<void> {
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  await client.delete(resources.pods, { name, namespace: NAMESPACE }, options);
}

/** Most end well, some fail, and a few hang for ever. */
function followJob({ client, clock, choices }: Backstage, { type, object }: StoreEvent): void {
  if (type !== 'ADDED' || choices.chance(0.15)) return;
  const { name } = object.metadata;
  clock.setTimer(START_MS[choices.pick(4)] ?? 0, () => {
    const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const ends = choices.chance(0.3) ? ['FailureTarget', 'Failed'] : ['SuccessCriteriaMet', 'Complete'];
    const conditions = ends.map((end) => ({ type: end, status: 'True', lastTransitionTime: now }));
    const isDone = ends.includes('Complete');
    const status = { startTime: now, conditions, ...(isDone ? { completionTime: now } : {}) };
    const patch = { type: 'merge', body: { status } } as const;
    void quietly(client.patch(resources.jobs, { name, namespace: NAMESPACE }, patch, { subresource: 'status' }));
  });
}
