import { desiredPods, desiredWorkerPods, Label, type PodSpec, type RayCluster, type RayClusterSpec } from '@manta/api';

import type { StoredObject } from '@manta/apiserver';
import type { History } from '../history.ts';
import { isValid } from './spec-edits.ts';
import { isOlder, staysAway } from './ray.ts';
import { asCluster, asPod, groupOf, isGoing, isHead, isReady, isWorker, ownerOf, STORED } from './stage.ts';

/** What is still missing: pods as the specs ask for, a status that says so, and nothing left of what was deleted. */
export function goal(history: History): string | undefined {
  const clusters = history.list(STORED.clusters);
  const uids = new Set(clusters.map(({ metadata }) => metadata.uid));
  const pods = history.list(STORED.pods);
  const orphan = pods.find((pod) => ownerOf(pod) !== undefined && !uids.has(ownerOf(pod) ?? ''));
  if (orphan !== undefined) return `${orphan.metadata.name} has lost its cluster and is still there`;
  for (const cluster of clusters) {
    const mine = pods.filter((pod) => ownerOf(pod) === cluster.metadata.uid);
    const missing = isGoing(cluster) ? 'is still there' : missingIn(asCluster(cluster), mine, history);
    if (missing !== undefined) return `${cluster.metadata.name} ${missing}`;
  }
  return undefined;
}

function missingIn(cluster: RayCluster, pods: readonly StoredObject[], history: History): string | undefined {
  const { spec, metadata } = cluster;
  if (spec === undefined) return 'has no spec';
  // Its user is told, and it is left as it is.
  if (!isValid(spec, metadata?.annotations)) return undefined;
  const restless = pods.find((pod) => !isReady(pod));
  if (restless !== undefined) return `has ${restless.metadata.name}, which is not ready`;
  return (
    missingHead(spec, pods) ??
    missingRejoined(cluster, pods, history) ??
    missingWorkers(spec, pods) ??
    missingReplicas(spec, pods) ??
    outdated(spec, pods) ??
    missingService(cluster, history) ??
    missingAccess(cluster, history) ??
    wrongStatus(cluster, spec, pods)
  );
}

function missingHead(spec: RayClusterSpec, pods: readonly StoredObject[]): string | undefined {
  const { length } = pods.filter(isHead);
  return (spec.suspend === true ? length === 0 : length > 0) ? undefined : `has ${length} heads`;
}

/** Workers that are older than the head have joined it, and the status says so. */
function missingRejoined(cluster: RayCluster, pods: readonly StoredObject[], history: History): string | undefined {
  const head = pods.find(isHead);
  if (head === undefined || !canBeAsked(cluster, history)) return undefined;
  const older = pods.filter((pod) => isWorker(pod) && isOlder(pod, head));
  const lost = older.find(staysAway);
  if (lost !== undefined) return `has ${lost.metadata.name}, which does not find the head`;
  const isTold = older.length === 0 || isTrue(cluster, 'WorkersRejoined');
  return isTold ? undefined : 'does not say that its workers have rejoined';
}

/** Ray answers nobody who does not have its token, and a Secret that a user names need not be there. */
function canBeAsked({ metadata, spec }: RayCluster, history: History): boolean {
  const { mode, secretName = '' } = spec?.authOptions ?? {};
  if (mode !== 'token' || secretName === '') return true;
  const isNamed = ({ metadata: { name, namespace } }: StoredObject) =>
    name === secretName && namespace === metadata?.namespace;
  return history.list('/secrets').some(isNamed);
}

function missingWorkers(spec: RayClusterSpec, pods: readonly StoredObject[]): string | undefined {
  const isSuspended = spec.suspend === true;
  const groups = spec.workerGroupSpecs ?? [];
  for (const group of groups) {
    const count = pods.filter((pod) => isWorker(pod) && groupOf(pod) === group.groupName).length;
    const wanted = isSuspended ? 0 : desiredPods(group);
    // Who is too many under the autoscaler stays until he is named.
    const mayBeMore = spec.enableInTreeAutoscaling === true && !isSuspended;
    if (mayBeMore ? count < wanted : count !== wanted)
      return `has ${count} of group ${group.groupName} where ${wanted} are wanted`;
    const named = pods.find((pod) => group.scaleStrategy?.workersToDelete?.includes(pod.metadata.name));
    if (named !== undefined) return `has ${named.metadata.name}, which the autoscaler has named`;
  }
  const lost = pods.find((pod) => isWorker(pod) && !groups.some(({ groupName }) => groupName === groupOf(pod)));
  return lost === undefined ? undefined : `has ${lost.metadata.name} of a group that is gone`;
}

/** Replicas of several hosts are whole. */
function missingReplicas({ workerGroupSpecs = [] }: RayClusterSpec, pods: readonly StoredObject[]): string | undefined {
  for (const { groupName, numOfHosts = 1 } of workerGroupSpecs) {
    if (numOfHosts === 1) continue;
    const sizes = new Map<string, number>();
    for (const pod of pods.filter((each) => isWorker(each) && groupOf(each) === groupName)) {
      const replica = pod.metadata.labels?.[Label.ReplicaName] ?? '';
      sizes.set(replica, (sizes.get(replica) ?? 0) + 1);
    }
    for (const [replica, size] of sizes)
      if (size !== numOfHosts) return `has ${size} hosts in replica ${replica} where ${numOfHosts} make one`;
  }
  return undefined;
}

/** Under Recreate no pod is of an older template. */
function outdated(spec: RayClusterSpec, pods: readonly StoredObject[]): string | undefined {
  if (spec.upgradeStrategy?.type !== 'Recreate') return undefined;
  const wanted = imageOf(spec.headGroupSpec.template.spec);
  const old = pods.find((pod) => isHead(pod) && imageOf(asPod(pod).spec) !== wanted);
  return old === undefined ? undefined : `has ${old.metadata.name} of an older spec`;
}

function imageOf(spec: PodSpec | undefined): string | undefined {
  return spec?.containers[0]?.image;
}

function missingService({ metadata, spec }: RayCluster, history: History): string | undefined {
  if (spec?.suspend === true) return undefined;
  const mine = history.list('/services').filter((service) => ownerOf(service) === metadata?.uid);
  const name = `${metadata?.name ?? ''}-head-svc`;
  return mine.some((service) => service.metadata.name === name) ? undefined : `has no Service ${name}`;
}

/** What the autoscaler needs; also while a cluster is suspended. */
const ACCESS = [
  '/serviceaccounts',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
] as const;

function missingAccess({ metadata, spec }: RayCluster, history: History): string | undefined {
  const isOwn = spec?.headGroupSpec.template.spec?.serviceAccountName !== undefined;
  if (spec?.enableInTreeAutoscaling !== true || isOwn) return undefined;
  const missing = ACCESS.find((kind) => !history.list(kind).some((object) => ownerOf(object) === metadata?.uid));
  return missing === undefined ? undefined : `has none of ${missing}`;
}

function wrongStatus(cluster: RayCluster, spec: RayClusterSpec, pods: readonly StoredObject[]): string | undefined {
  const { status, metadata } = cluster;
  const told = {
    ready: status?.readyWorkerReplicas ?? 0,
    desired: status?.desiredWorkerReplicas ?? 0,
    generation: status?.observedGeneration,
    isSuspended: isTrue(cluster, 'RayClusterSuspended'),
    isHeadReady: isTrue(cluster, 'HeadPodReady'),
  };
  const is: typeof told = {
    ready: pods.filter(isWorker).length,
    desired: desiredWorkerPods(spec),
    generation: metadata?.generation,
    isSuspended: spec.suspend === true,
    isHeadReady: spec.suspend !== true,
  };
  return JSON.stringify(told) === JSON.stringify(is)
    ? undefined
    : `says ${JSON.stringify(told)}, is ${JSON.stringify(is)}`;
}

function isTrue({ status }: RayCluster, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === 'True') === true;
}
