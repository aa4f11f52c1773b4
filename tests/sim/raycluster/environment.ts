import { CONTROLLERS, startController, type StoredObject, type StoreEvent } from '@manta/engine';
import { isConflict, isNotFound, resources } from '@manta/kube';
import type { Backstage } from '../scenario.ts';
import { readiness } from './moves.ts';
import { asPod, hasEnded, isGoing, NAMESPACE, STORED } from './stage.ts';

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

function followPod(backstage: Backstage, { type, object, before }: StoreEvent): void {
  const { clock, choices } = backstage;
  if (type === 'ADDED') {
    clock.setTimer(START_MS[choices.pick(4)] ?? 0, () => startPod(backstage, object));
  } else if (type === 'MODIFIED' && isGoing(object) && before !== undefined && !isGoing(before)) {
    clock.setTimer(LINGER_MS[choices.pick(4)] ?? 0, () => void quietly(endPod(backstage, object)));
  }
}

/** Gives it a node and makes it ready, in one write. */
function startPod({ api }: Backstage, { metadata: { name, uid } }: StoredObject): void {
  const key = { resource: STORED.pods, namespace: NAMESPACE, name };
  const pod = api.store.get(key);
  if (pod === undefined || pod.metadata.uid !== uid || isGoing(pod) || hasEnded(pod)) return;
  const { spec, status } = asPod(pod);
  const address = `10.0.0.${Number(uid.slice(-3)) % 250}`;
  const running = { phase: 'Running', podIP: address, podIPs: [{ ip: address }], conditions: readiness('True') };
  api.store.update(key, { ...pod, spec: { ...spec, nodeName: 'node' }, status: { ...status, ...running } });
}

async function endPod({ client }: Backstage, { metadata: { name, uid } }: StoredObject): Promise<void> {
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  await client.delete(resources.pods, { name, namespace: NAMESPACE }, options);
}

function followJob({ client, clock, choices }: Backstage, { type, object }: StoreEvent): void {
  if (type !== 'ADDED') return;
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

/** Somebody else was faster. */
async function quietly(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Runs, is ready, and stays. */
export function isReady(object: StoredObject): boolean {
  const { status } = asPod(object);
  const isTrue = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return status?.phase === 'Running' && isTrue === true && !isGoing(object);
}
