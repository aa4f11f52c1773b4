import type { Job, Pod } from '@manta/api';
import type { StoreEvent } from '@manta/apiserver';
import { type Cluster, joinKey, nameOf, readOne, type Stored, splitKey } from '../framework/cluster.ts';
import type { Controller, RequeueAfter } from '../framework/controller.ts';
import { createEventRecorder } from '../framework/event-recorder.ts';
import { jobs, pods } from '../framework/kinds.ts';
import { controllerOf } from '../framework/owner.ts';
import { OwnerGraph } from '../framework/owner-graph.ts';
import { endOf } from './job-conditions.ts';
import { JobSync } from './job-sync.ts';
import { isTracked } from './tracked-pods.ts';

/** The controller that a job is left to, unless its `managedBy` names another. */
const THIS_CONTROLLER = 'kubernetes.io/job-controller';
/** Marks the key of a pod that no job looks after any more; names have no such character. */
const STRAY = '~';

/** Runs Jobs: makes their pods, replaces failed ones, counts the ended ones, and says how each job ended. */
export function jobController(cluster: Cluster): Controller {
  const graph = new OwnerGraph();
  const record = createEventRecorder(cluster, 'job-controller');
  const sync = new JobSync(cluster, record, (job) =>
    graph.dependentsOf(job.metadata.uid).flatMap(({ namespace, name }) => {
      const pod = readOne(cluster.store, pods, namespace, name);
      return pod !== undefined && controllerOf(pod)?.uid === job.metadata.uid ? [pod] : [];
    }),
  );
  return {
    name: 'job',
    // A pod that cannot be made is worth an event each time.
    firstRetryMs: 1000,
    watches: [nameOf(jobs), nameOf(pods)],
    keysOf: (event) => {
      if (event.key.resource === nameOf(jobs)) {
        const lost = event.type === 'DELETED' ? graph.dependentsOf(event.object.metadata.uid) : [];
        if (event.type === 'DELETED') sync.forget(event.object.metadata.uid);
        return [
          joinKey(event.key.namespace, event.key.name),
          ...lost.map(({ namespace, name }) => strayKey(namespace, name)),
        ];
      }
      graph.follow(event);
      return podKeys(cluster, event);
    },
    reconcile: async (key) => {
      if (key.startsWith(STRAY)) return await releaseStray(cluster, sync, key.slice(STRAY.length));
      const { namespace, name } = splitKey(key);
      const job = readOne(cluster.store, jobs, namespace, name);
      return job === undefined ? undefined : await attend(sync, job);
    },
  };
}

async function attend(sync: JobSync, job: Stored<Job>): Promise<RequeueAfter | undefined> {
  const { managedBy } = job.spec ?? {};
  if (managedBy !== undefined && managedBy !== THIS_CONTROLLER) return undefined;
  return await (endOf(job) === undefined ? sync.run(job) : sync.release(job));
}

/** The pod's job, the job it had before, and the pod itself where it has none. */
function podKeys({ store }: Cluster, { key, object, before, type }: StoreEvent): readonly string[] {
  const { namespace } = key;
  const owners = [object, before].map((pod) => (pod === undefined ? undefined : controllerOf(pod)));
  const names = new Set(owners.flatMap((owner) => (owner?.kind === 'Job' ? [owner.name] : [])));
  const [owner] = owners;
  const hasJob = owner?.kind === 'Job' && readOne(store, jobs, namespace, owner.name)?.metadata.uid === owner.uid;
  const stray = hasJob || type === 'DELETED' ? [] : [strayKey(namespace, key.name)];
  return [...[...names].map((name) => joinKey(namespace, name)), ...stray];
}

/** Removes the tracking finalizer of pods whose job no longer exists. */
async function releaseStray({ store }: Cluster, sync: JobSync, key: string): Promise<undefined> {
  const { namespace, name } = splitKey(key);
  const pod: Stored<Pod> | undefined = readOne(store, pods, namespace, name);
  if (pod === undefined || !isTracked(pod)) return;
  const owner = controllerOf(pod);
  const job = owner?.kind === 'Job' ? readOne(store, jobs, namespace, owner.name) : undefined;
  if (job === undefined || job.metadata.uid !== owner?.uid) await sync.untrack(pod);
}

function strayKey(namespace: string, name: string): string {
  return `${STRAY}${joinKey(namespace, name)}`;
}
