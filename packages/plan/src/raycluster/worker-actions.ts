import { isAutoscalingEnabled, podNames, RayClusterEventReason, type WorkerGroupSpec } from '@manta/api';
import type { ReplicaPlace } from '../build/pod-labels.ts';
import { buildWorkerPod } from '../build/worker-pod.ts';
import { type Action, type CreateAction, normal, warning } from '../plan.ts';
import type { PodRecord } from './observed.ts';
import { derivedPodName } from './pod-names.ts';
import { fullName, type Subject } from './subject.ts';

/** With the autoscaler on, only Ray knows which worker is idle; the installation may say that it does not care. */
export function mayChooseVictims({ spec, context }: Subject): boolean {
  return !isAutoscalingEnabled(spec) || context.env.randomPodDelete;
}

/** Creates a pod in each of these places, under names that nobody has asked to delete. */
export function createWorkers(
  subject: Subject,
  group: WorkerGroupSpec,
  places: readonly ReplicaPlace[],
  taken: ReadonlySet<string>,
): CreateAction {
  const { cluster, spec, context, uid, name, lastHolders } = subject;
  const { groupName } = group;
  const isNumbered = context.gates.RayMultiHostIndexing;
  const objects = places.map((place) => {
    const pod = buildWorkerPod(cluster, spec, group, isNumbered ? place : undefined, context);
    const where = placeName(place);
    const predecessor = lastHolders.get(`${groupName}/${where}`);
    const identity = { clusterUid: uid, group: groupName, place: where, predecessor };
    const podName = derivedPodName(podNames.workerPrefix(name, groupName), identity, taken);
    return { ...pod, metadata: { ...pod.metadata, name: podName } };
  });
  return {
    type: 'create',
    kind: 'Pod',
    objects,
    whenExists: 'fine-if-ours',
    done: normal(RayClusterEventReason.CreatedWorkerPod, 'Create', `Created worker Pod ${fullName(subject, '%n')}`),
    failed: warning(
      RayClusterEventReason.FailedToCreateWorkerPod,
      'Create',
      `Failed to create worker Pod for the cluster ${fullName(subject, name)}`,
    ),
    failure: 'FailedCreateWorkerPod',
  };
}

/** How a place is written where its last holder is remembered. */
export function placeName({ index, host }: ReplicaPlace): string {
  return host === undefined ? String(index) : `${index}.${host.index}`;
}

/** Deletes a worker; `told` completes "Deleted …" and "Failed deleting …". */
export function deleteWorker(pod: PodRecord, told: string): Action {
  return {
    type: 'delete',
    kind: 'Pod',
    name: pod.name,
    uid: pod.uid,
    done: normal(RayClusterEventReason.DeletedWorkerPod, 'Delete', `Deleted ${told}`),
    failed: warning(RayClusterEventReason.FailedToDeleteWorkerPod, 'Delete', `Failed deleting ${told}`),
    failure: 'FailedDeleteWorkerPod',
  };
}
