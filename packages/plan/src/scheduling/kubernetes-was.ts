import { clusterObjectNames, isAutoscalingEnabled, isRecord, Label } from '@manta/api';
import { patchOwn } from '../ownership.ts';
import type { Action } from '../plan.ts';
import { type Gang, memberCount } from './gang.ts';
import {
  collision,
  creation,
  deletion,
  type GangObject,
  gangOwnerReference,
  isOwn,
  nameOf,
  publicKind,
} from './gang-objects.ts';
import type { BatchScheduler, GangKind, GangRecord } from './scheduler.ts';

const TEMPLATE = 'cluster';
const PROTECTION = 'scheduling.k8s.io/podgroup-protection';
/** Watches show deletions of these objects at once; this covers lost events. */
const REQUEUE_MS = 2000;

/**
 * Kubernetes' workload-aware scheduling. Its objects are immutable: an outdated one is deleted, the PodGroup before the Workload, and
 * recreated when the deletion was observed.
 */
export const kubernetesWas: BatchScheduler = {
  objects: [
    { kind: 'Workload', nameFor: clusterObjectNames.wasWorkload },
    { kind: 'WorkloadPodGroup', nameFor: clusterObjectNames.wasPodGroup },
  ],

  marks(gang) {
    const podGroupName = clusterObjectNames.wasPodGroup(gang.owner.object.metadata?.name ?? '');
    const spec = hasGang(gang)
      ? { schedulerName: 'default-scheduler', schedulingGroup: { podGroupName } }
      : { schedulerName: 'default-scheduler' };
    return { labels: {}, annotations: {}, spec };
  },

  plan(gang, seen, isWanted) {
    // A job's cluster has its own objects.
    if (gang.owner.kind === 'RayJob') return [];
    const { name = '' } = gang.owner.object.metadata ?? {};
    const workload = find(seen, 'Workload', clusterObjectNames.wasWorkload(name));
    const group = find(seen, 'WorkloadPodGroup', clusterObjectNames.wasPodGroup(name));
    return isWanted && hasGang(gang) ? createOrReplaceGang(gang, workload, group) : deleteGang(gang, workload, group);
  },

  refusal: () => undefined,
};

type Maybe = GangRecord | undefined;

function createOrReplaceGang(gang: Gang, workload: Maybe, group: Maybe): readonly Action[] {
  const count = memberCount(gang);
  const foreign = [workload, group].find((record) => record !== undefined && !isOwn(gang, record));
  if (foreign !== undefined) return [{ type: 'abort', message: collision(gang, foreign) }];
  if (workload !== undefined && (isGoing(workload) || !isWorkloadFor(workload, count)))
    return isGoing(workload) || group === undefined ? remove(gang, workload) : remove(gang, group);
  if (group !== undefined && (isGoing(group) || minCountOf(group.object.spec) !== count)) return remove(gang, group);
  return [
    ...(workload === undefined ? [creation(gang, 'Workload', buildWorkload(gang, count))] : []),
    ...(group === undefined ? [creation(gang, 'WorkloadPodGroup', buildPodGroup(gang, count))] : []),
  ];
}

/** Deletes the PodGroup first. Objects of other owners stay. */
function deleteGang(gang: Gang, workload: Maybe, group: Maybe): readonly Action[] {
  const first = [group, workload].find((record) => record !== undefined && isOwn(gang, record));
  return first === undefined ? [] : remove(gang, first);
}

/** Removes the object's protection, deletes it, and waits until it no longer exists. */
function remove(gang: Gang, record: GangRecord): readonly Action[] {
  const { kind, object } = record;
  const message = `${publicKind(kind)} ${nameOf(object)} is being deleted`;
  const wait: Action = { type: 'wait', message, requeueAfterMs: REQUEUE_MS };
  const release = kind === 'WorkloadPodGroup' ? withoutProtection(gang, record) : [];
  return [...release, ...(isGoing(record) ? [] : deletion(gang, record)), wait];
}

/** Removes Kubernetes' protection finalizer, which would wait for the pods to end. Other finalizers stay. */
function withoutProtection({ owner }: Gang, { kind, object }: GangRecord): readonly Action[] {
  const { resourceVersion, finalizers = [] } = object.metadata ?? {};
  if (!finalizers.includes(PROTECTION)) return [];
  const remaining = finalizers.filter((finalizer) => finalizer !== PROTECTION);
  const patch = { metadata: { resourceVersion, finalizers: remaining } };
  return patchOwn(owner.object.metadata?.uid ?? '', kind, object, patch);
}

function buildWorkload(gang: Gang, minCount: number): GangObject {
  const { name = '' } = gang.owner.object.metadata ?? {};
  return {
    ...described(gang, 'Workload', clusterObjectNames.wasWorkload(name)),
    spec: {
      controllerRef: { apiGroup: 'ray.io', kind: 'RayCluster', name },
      podGroupTemplates: [{ name: TEMPLATE, schedulingPolicy: { gang: { minCount } } }],
    },
  };
}

function buildPodGroup(gang: Gang, minCount: number): GangObject {
  const { name = '' } = gang.owner.object.metadata ?? {};
  const workload = { workloadName: clusterObjectNames.wasWorkload(name), podGroupTemplateName: TEMPLATE };
  return {
    ...described(gang, 'PodGroup', clusterObjectNames.wasPodGroup(name)),
    spec: { podGroupTemplateRef: { workload }, schedulingPolicy: { gang: { minCount } } },
  };
}

function described(gang: Gang, kind: string, name: string): Omit<GangObject, 'spec'> {
  const { name: cluster = '', namespace = '' } = gang.owner.object.metadata ?? {};
  const metadata = {
    name,
    namespace,
    labels: { [Label.Cluster]: cluster },
    ownerReferences: [gangOwnerReference(gang)],
  };
  return { apiVersion: 'scheduling.k8s.io/v1alpha2', kind, metadata };
}

/** Requires the label value `true`. Not with the autoscaler: it changes the number of pods too often for immutable objects. */
function hasGang({ owner, spec }: Gang): boolean {
  const label = owner.object.metadata?.labels?.[Label.GangSchedulingEnabled];
  return owner.kind === 'RayCluster' && label?.toLowerCase() === 'true' && !isAutoscalingEnabled(spec);
}

function isWorkloadFor({ object }: GangRecord, count: number): boolean {
  const templates = isRecord(object.spec) ? object.spec['podGroupTemplates'] : undefined;
  if (!Array.isArray(templates) || templates.length !== 1) return false;
  const template: unknown = templates[0];
  return isRecord(template) && template['name'] === TEMPLATE && minCountOf(template) === count;
}

function minCountOf(spec: unknown): unknown {
  const policy = isRecord(spec) ? spec['schedulingPolicy'] : undefined;
  const gang = isRecord(policy) ? policy['gang'] : undefined;
  return isRecord(gang) ? gang['minCount'] : undefined;
}

function isGoing({ object }: GangRecord): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

function find(seen: readonly GangRecord[], kind: GangKind, name: string): Maybe {
  return seen.find((record) => record.kind === kind && record.object.metadata?.name === name);
}
