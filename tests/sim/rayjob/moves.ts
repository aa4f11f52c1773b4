import { type Container, ContainerName, Label, NodeType, type PodStatus, type RayJobSpec } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import { type ResourceType, resources } from '@manta/kube';
import { isTerminal } from '@manta/ray';
import type { Mood } from '@manta/ray/testing';
import { quietly } from '../raycluster/quietly.ts';
import type { Backstage, Move } from '../scenario.ts';
import { RAY_CONTAINER, restartsOf } from './ledger.ts';
import { jump } from './operator-clock.ts';
import { markUnwell } from './cluster-status.ts';
import { rayWorldOf } from './ray-world.ts';
import { asJob, createJob, isGoing, JOBS, NAMESPACE, ownerOf, STORED } from './stage.ts';

/** What users do to jobs, and what misfortune does to Ray. */
export const MOVES: Readonly<Record<string, Move>> = {
  suspend: editSpec((spec) => (spec.shutdownAfterJobFinishes === true ? { ...spec, suspend: true } : spec)),
  resume: editSpec((spec) => ({ ...spec, suspend: false })),
  'delete or create a job': deleteOrCreate,
  "delete a job's cluster": deleteOne(STORED.clusters, resources.rayClusters, (found) => ownerOf(found) !== undefined),
  'delete a submitter': deleteOne(STORED.submitters, resources.jobs, () => true),
  'kill a head': deleteOne(
    STORED.pods,
    resources.pods,
    ({ metadata }) => metadata.labels?.[Label.NodeType] === NodeType.Head,
  ),
  'a head is not ready for a while': unready,
  'delete a cluster whose head is not ready': deleteUnready,
  'Ray is restarted in its pod': restartInPlace,
  'the operator dies at its next word to Ray': dieAtRay,
  'a clock jumps forward': jump(1),
  'a clock jumps back': jump(-1),
  'stop a Ray job': stopRayJob,
  'a head hangs': mood({ kind: 'hanging' }),
  'a head refuses': mood({ kind: 'dead' }),
  'a head answers nonsense': mood({ kind: 'wrong', status: 200, body: '<html>wait</html>' }),
  'a head errs': mood({ kind: 'wrong', status: 500, body: '{"detail":"no"}' }),
  'answers of a head get lost': mood({ kind: 'lost' }),
};

function editSpec(edit: (spec: RayJobSpec) => RayJobSpec): Move {
  return async ({ api, client, choices }) => {
    const found = api.store.list(STORED.jobs).filter((object) => !isGoing(object));
    const object = found[choices.pick(found.length)];
    const spec = object === undefined ? undefined : asJob(object).spec;
    if (object === undefined || spec === undefined) return;
    await client.update(resources.rayJobs, { ...object, spec: edit(spec) });
  };
}

async function deleteOrCreate(backstage: Backstage): Promise<void> {
  const { api, client, choices } = backstage;
  const name = JOBS[choices.pick(JOBS.length)] ?? 'a';
  const ref = { name, namespace: NAMESPACE };
  if (api.store.get({ ...ref, resource: STORED.jobs }) === undefined) await createJob(backstage, name);
  else await quietly(client.delete(resources.rayJobs, ref, { propagation: 'Background' }));
}

function deleteOne(
  resource: (typeof STORED)[keyof typeof STORED],
  type: ResourceType,
  isMeant: (object: StoredObject) => boolean,
): Move {
  return async ({ api, client, choices }) => {
    const found = api.store.list(resource).filter((object) => isMeant(object) && !isGoing(object));
    const object = found[choices.pick(found.length)];
    if (object === undefined) return;
    const ref = { name: object.metadata.name, namespace: NAMESPACE };
    await quietly(client.delete(type, ref, { propagation: 'Background' }));
  };
}

/** Only its cluster says so: Ray goes on. */
async function unready(backstage: Backstage): Promise<void> {
  const { api, choices } = backstage;
  const found = api.store.list(STORED.clusters).filter((cluster) => !isGoing(cluster));
  const cluster = found[choices.pick(found.length)];
  const lastsMs = [500, 4_000, 15_000][choices.pick(3)] ?? 0;
  if (cluster !== undefined) markUnwell(backstage, cluster.metadata.name, lastsMs);
}

/** As somebody does who sees that it is of no use. */
async function deleteUnready(backstage: Backstage): Promise<void> {
  const { api, client, clock, choices } = backstage;
  const found = api.store.list(STORED.clusters).filter((each) => ownerOf(each) !== undefined && !isGoing(each));
  const name = found[choices.pick(found.length)]?.metadata.name;
  if (name === undefined) return;
  markUnwell(backstage, name, 60_000);
  const waitMs = [50, 1_000, 5_000][choices.pick(3)] ?? 0;
  clock.setTimer(waitMs, () => void quietly(client.delete(resources.rayClusters, { name, namespace: NAMESPACE })));
}

/** The kubelet starts a container that has ended again, in the same pod: but for pods that are there to submit. */
async function restartInPlace({ api, choices }: Backstage): Promise<void> {
  const heads = api.store.list(STORED.pods).filter((pod) => !isGoing(pod) && !hasSubmitter(pod));
  const pod = heads[choices.pick(heads.length)];
  if (pod === undefined) return;
  const key = { resource: STORED.pods, namespace: NAMESPACE, name: pod.metadata.name };
  const containerStatuses = [{ name: RAY_CONTAINER, restartCount: restartsOf(pod) + 1 }];
  api.store.update(key, { ...pod, status: { ...(pod['status'] as PodStatus), containerStatuses } });
}

function hasSubmitter(pod: StoredObject): boolean {
  const { containers } = pod['spec'] as { readonly containers: readonly Container[] };
  return containers.some(({ name }) => name === ContainerName.Submitter);
}

async function dieAtRay(backstage: Backstage): Promise<void> {
  const points = ['sending', 'acting', 'hearing', 'together'] as const;
  rayWorldOf(backstage).crashAt = points[backstage.choices.pick(points.length)];
}

async function stopRayJob(backstage: Backstage): Promise<void> {
  const { api, choices } = backstage;
  const world = rayWorldOf(backstage);
  const running = api.store
    .list(STORED.pods)
    .flatMap((pod) => [...world.headOf(pod).jobs.values()].map((job) => ({ pod, job })))
    .filter(({ job }) => !isTerminal(job.status));
  const chosen = running[choices.pick(running.length)];
  if (chosen === undefined) return;
  const path = `/api/jobs/${chosen.job.submission_id}/stop`;
  world.answer(chosen.pod, { method: 'POST', path, headers: {}, body: '' });
}

/** All heads of the moment are like that for a while; calm finds them well again. */
function mood(kind: Mood): Move {
  return async (backstage) => {
    const { clock, choices } = backstage;
    const heads = rayWorldOf(backstage).all;
    for (const head of heads) head.mood = kind;
    const lastsMs = [500, 4_000, 15_000][choices.pick(3)] ?? 0;
    clock.setTimer(lastsMs, () => {
      for (const head of heads) head.mood = { kind: 'well' };
    });
  };
}
