import { Label, OriginCrd, type StringMap } from '@manta/api';
import type { PodRecord } from '@manta/plan';
import { fromInformer, keyOf, namespaceOf, type ObjectKey, type Source, toKey } from '@manta/runtime';
import { gangOwnerKeys } from '../observe/gang-cache.ts';
import type { RayClusterCache } from '../observe/ray-cluster-cache.ts';
import type { RayJobCache } from '../observe/rayjob-cache.ts';
import type { SubmitterPods } from '../observe/submitter-pods.ts';

/** Changes that trigger the reconcile of a RayJob: of the job itself, its cluster, submitter, Service, pod group and pods. */
export function rayJobSources(
  cache: RayClusterCache,
  jobs: RayJobCache,
  submitterPods: SubmitterPods,
): readonly Source[] {
  return [
    fromInformer(jobs),
    fromInformer(cache.clusters, {
      keys: ({ metadata }, key) => [...jobsOnCluster(jobs, key), ...originOf(metadata?.labels ?? {}, key)],
    }),
    // A submitter has the name of its RayJob.
    fromInformer(cache.jobs),
    fromInformer(submitterPods, {
      when: ({ before, after }) => before?.trouble !== after?.trouble,
      keys: ({ rayJob }) => [rayJob],
    }),
    fromInformer(cache.services, { keys: ({ labels }, key) => originOf(labels, key) }),
    ...cache.gangs.map(({ informer }) => fromInformer(informer, { keys: gangOwnerKeys('RayJob') })),
    fromInformer(cache.pods, {
      when: ({ before, after }) => relevantPart(before) !== relevantPart(after),
      keys: ({ namespace, cluster }) => jobsOnCluster(jobs, toKey(namespace, cluster)),
    }),
  ];
}

/** The part of a pod that decisions use: why it cannot run; of a head pod also its identity, phase, restarts and submitter container. */
function relevantPart(pod: PodRecord | undefined): string {
  if (pod === undefined || (pod.head === undefined && pod.trouble === undefined)) return '';
  const { uid, phase, isTerminating, trouble, head } = pod;
  return JSON.stringify([
    trouble,
    head === undefined ? [] : [uid, phase, isTerminating, head.restarts, head.submitter],
  ]);
}

/** The job that an object's labels name as its origin. */
function originOf(labels: StringMap, key: ObjectKey): readonly ObjectKey[] {
  const isOfJob = labels[Label.OriginatedFromCrd] === OriginCrd.RayJob;
  return isOfJob ? [toKey(namespaceOf(key), labels[Label.OriginatedFromCrName] ?? '')] : [];
}

function jobsOnCluster(jobs: RayJobCache, cluster: ObjectKey): readonly ObjectKey[] {
  return jobs.by('cluster', cluster).map(keyOf);
}
