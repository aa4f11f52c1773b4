import { Label, OriginCrd, type Pod, podTrouble } from '@manta/api';
import { resources } from '@manta/kube';
import { createInformer, type Informer, type Interner, type ObjectKey, toKey, type World } from '@manta/runtime';
import { POD_SHAPE } from './pod-shape.ts';

/** What decisions need of a pod of a submitter Job. */
export interface SubmitterPod {
  readonly name: string;
  /** The RayJob that its labels name: `namespace/name`. */
  readonly rayJob: ObjectKey;
  /** The uid of the Job that controls the pod. */
  readonly owner: string | undefined;
  /** What keeps the pod from starting; undefined if nothing is known to. */
  readonly trouble: string | undefined;
}

/** The pods of submitter Jobs, by the key of their RayJob. */
export type SubmitterPods = Informer<SubmitterPod, 'rayJob'>;

/** Pods that carry the labels of a submitter and that belong to no cluster. */
const SUBMITTERS = `${Label.OriginatedFromCrd}=${OriginCrd.RayJob},!${Label.NodeType}`;

export function createSubmitterPods(world: World, namespaces: readonly string[]): SubmitterPods {
  return createInformer(world, {
    type: resources.pods,
    namespaces,
    labelSelector: SUBMITTERS,
    shape: POD_SHAPE,
    project: submitterPod,
    indexes: { rayJob: ({ rayJob }) => [rayJob] },
  });
}

export function submitterPod(pod: Pod, intern: Interner): SubmitterPod {
  const { name = '', namespace = '', labels = {}, ownerReferences, deletionTimestamp } = pod.metadata ?? {};
  return {
    name,
    rayJob: toKey(namespace, labels[Label.OriginatedFromCrName] ?? ''),
    owner: intern.string(ownerReferences?.find(({ controller }) => controller === true)?.uid),
    trouble: deletionTimestamp === undefined ? podTrouble(pod) : undefined,
  };
}

/** The pod of this Job that cannot start. */
export function troubledPodOf(
  pods: SubmitterPods,
  key: ObjectKey,
  job: { readonly uid: string } | undefined,
): { readonly name: string; readonly trouble: string } | undefined {
  for (const { name, owner, trouble } of pods.by('rayJob', key)) {
    if (trouble !== undefined && job !== undefined && owner === job.uid) return { name, trouble };
  }
  return undefined;
}
