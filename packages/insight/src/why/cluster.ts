import {
  desiredWorkerPods,
  isConditionTrue,
  isPodRunningAndReady,
  type Pod,
  type RayCluster,
  RayClusterConditionType,
} from '@manta/api';
import { ageMs, eventsOf, isHead, isTerminating, podsOfCluster, refOf, refText } from '../lookup.ts';
import type { RayRef, World } from '../world.ts';
import { autoscalerDemand } from './autoscaler.ts';
import { brief, type Cause, type Found } from './cause.ts';
import { commonCause, createRefused, invalidSpec, operatorBehind } from './common.ts';
import { podCause } from './pod.ts';
import { refusalCause } from './refusals.ts';

const { HeadPodReady, PermissionMissing, ReplicaFailure, WorkersRejoined } = RayClusterConditionType;
/** The operator creates pods within this time. */
const CREATE_MS = 20_000;

/** Why a RayCluster does not have all its pods ready; undefined if it has. */
export function clusterCauses(cluster: RayCluster, world: World): readonly Found[] {
  const ref = {
    ...refOf('RayCluster', cluster),
    kind: 'RayCluster',
    namespace: cluster.metadata?.namespace ?? '',
  } as const;
  const own = (cause: Cause): Found => ({ links: [{ object: ref, says: clusterSays(cluster) }], cause });
  const common = commonCause({ ref, object: cluster }, world);
  if (common !== undefined) return [own(common)];
  const pods = podsOfCluster(world, cluster);
  const isComplete = hasAllPods(cluster, pods, world);
  const blocked = isComplete
    ? undefined
    : (cannotCreate(ref, cluster, world) ?? (pods.length === 0 ? invalidSpec(ref, world) : undefined));
  const ofPods = podFindings(cluster, pods, world).map(({ links, cause }) => ({
    links: [{ object: ref, says: clusterSays(cluster) }, ...links],
    cause,
  }));
  const rest = [
    afterwards(ref, cluster, pods, world),
    isComplete ? undefined : notCreated(ref, cluster, pods, world),
  ].filter((cause) => cause !== undefined);
  const hard = ofPods.filter(({ cause }) => cause.isProgress !== true);
  const soft = ofPods.filter(({ cause }) => cause.isProgress === true);
  const behind = operatorBehind({ ref, object: cluster }, world);
  const all = [
    ...(blocked === undefined ? [] : [own(blocked)]),
    ...hard,
    ...(blocked === undefined && ofPods.length === 0 ? rest.map(own) : []),
    ...soft,
    ...(behind === undefined ? [] : [own(behind)]),
  ];
  const unseen = all.length === 0 ? unseenWorkers(ref, cluster, world) : undefined;
  return unseen === undefined ? all : [own(unseen)];
}

function hasAllPods(cluster: RayCluster, pods: readonly Pod[], world: World): boolean {
  if (world.pods.kind !== 'seen')
    return (
      (cluster.status?.availableWorkerReplicas ?? 0) >= (cluster.status?.desiredWorkerReplicas ?? 0) &&
      isConditionTrue(cluster.status?.conditions, HeadPodReady)
    );
  const alive = pods.filter((pod) => !isTerminating(pod));
  const workers = alive.filter((pod) => !isHead(pod)).length;
  return alive.some(isHead) && workers >= desiredWorkerPods(cluster.spec);
}

/** One line about the cluster for the chain. */
export function clusterSays({ status, spec }: RayCluster): string {
  if (spec?.suspend === true) return 'suspended';
  const head = status?.conditions?.find(({ type }) => type === HeadPodReady);
  const workers = `${status?.readyWorkerReplicas ?? 0} of ${status?.desiredWorkerReplicas ?? desiredWorkerPods(spec)} workers ready`;
  return `head ${head?.status === 'True' ? 'ready' : 'not ready'}, ${workers}`;
}

function cannotCreate(ref: RayRef, { status }: RayCluster, world: World): Cause | undefined {
  for (const type of [ReplicaFailure, PermissionMissing]) {
    const condition = status?.conditions?.find((candidate) => candidate.type === type && candidate.status === 'True');
    if (condition === undefined) continue;
    const evidence = { object: ref, source: `status.conditions[${type}]`, text: brief(condition.message) };
    if (type === ReplicaFailure) return refusalCause(ref, condition.message, evidence, world);
    const rights = brief(condition.message.replace(/^The operator may not /, '').replace(/\. Bind it.*$/, ''));
    return {
      code: 'PermissionMissing',
      object: ref,
      sentence: `the operator may not ${rights}, which ${refText(ref)} needs`,
      evidence: [evidence],
      action: 'Bind the operator to the role that "manta rbac" prints, or add the rule to its role.',
    };
  }
  return createRefused(ref, world);
}

/** One finding for each cause code; pods with the same one are counted. The head comes first: workers wait for it. */
function podFindings(cluster: RayCluster, pods: readonly Pod[], world: World): readonly Found[] {
  const byCode = new Map<string, { readonly found: Found; count: number }>();
  for (const pod of pods) {
    const cause = podCause(pod, world);
    if (cause === undefined) continue;
    const known = byCode.get(cause.code);
    if (known !== undefined) known.count++;
    else
      byCode.set(cause.code, {
        count: 1,
        found: { links: [{ object: refOf('Pod', pod), says: podSays(pod) }], cause },
      });
  }
  if (world.pods.kind !== 'seen') return headByStatus(cluster);
  return [...byCode.values()].map(({ found, count }) =>
    count === 1
      ? found
      : { ...found, cause: { ...found.cause, sentence: `${found.cause.sentence} (and ${count - 1} more like it)` } },
  );
}

/** What the status tells a reader who may not read pods. */
function headByStatus(cluster: RayCluster): readonly Found[] {
  const condition = cluster.status?.conditions?.find(({ type, status }) => type === HeadPodReady && status !== 'True');
  if (condition === undefined) return [];
  const object = refOf('RayCluster', cluster);
  const words = [condition.reason, brief(condition.message)].filter((part) => part !== '').join(': ');
  return [
    {
      links: [],
      cause: {
        code: 'HeadNotReady',
        object,
        sentence: `the head pod of ${refText(object)} is not ready: ${words}`,
        evidence: [{ object, source: `status.conditions[${HeadPodReady}]`, text: words }],
        action: 'Ask for the right to list pods and events in this namespace to see more.',
      },
    },
  ];
}

function unseenWorkers(ref: RayRef, { status }: RayCluster, world: World): Cause | undefined {
  const { readyWorkerReplicas = 0, desiredWorkerReplicas = 0 } = status ?? {};
  if (world.pods.kind === 'seen' || readyWorkerReplicas >= desiredWorkerReplicas) return undefined;
  const text = `${readyWorkerReplicas} of ${desiredWorkerReplicas}`;
  return {
    code: 'Unknown',
    object: ref,
    sentence: `${text} workers of ${refText(ref)} are ready, and its pods cannot be read`,
    evidence: [{ object: ref, source: 'status.readyWorkerReplicas', text }],
    action: 'Ask for the right to list pods and events in this namespace to see why.',
  };
}

/** One line about a pod for the chain. */
export function podSays(pod: Pod): string {
  if (isTerminating(pod)) return 'terminating';
  if (isPodRunningAndReady(pod)) return 'ready';
  return pod.status?.phase === 'Running' ? 'running, not ready' : (pod.status?.phase ?? 'Pending').toLowerCase();
}

/** What is wrong with a cluster whose pods are all ready. */
function afterwards(ref: RayRef, cluster: RayCluster, pods: readonly Pod[], world: World): Cause | undefined {
  const rejoined = cluster.status?.conditions?.find(
    ({ type, status }) => type === WorkersRejoined && status === 'False',
  );
  if (rejoined !== undefined)
    return {
      code: 'WorkersNotRejoined',
      object: ref,
      sentence: `workers of ${refText(ref)} have not joined its new head: ${brief(rejoined.message)}`,
      evidence: [{ object: ref, source: `status.conditions[${WorkersRejoined}]`, text: brief(rejoined.message) }],
      action:
        'Wait: the operator replaces workers that do not join; to keep workers over the loss of a head, turn on GCS fault tolerance.',
    };
  return autoscalerDemand(ref, cluster, pods, world);
}

function notCreated(ref: RayRef, cluster: RayCluster, pods: readonly Pod[], world: World): Cause | undefined {
  const tls = eventsOf(world, ref).find(
    ({ reason }) => reason === 'MTLSCertsNotReady' || reason === 'MTLSFailedToReconcile',
  );
  if (tls !== undefined)
    return {
      code: 'CertificatesNotReady',
      object: ref,
      sentence: `the certificates of ${refText(ref)} are not ready: ${brief(tls.note)}`,
      evidence: [{ object: ref, source: `event ${tls.reason}`, text: brief(tls.note) }],
      action: 'Check that cert-manager runs, and read the events of the Certificates of this cluster.',
    };
  if (world.pods.kind !== 'seen') return undefined;
  const alive = pods.filter((pod) => !isTerminating(pod));
  const missing = desiredWorkerPods(cluster.spec) - alive.filter((pod) => !isHead(pod)).length;
  const what = alive.some(isHead) ? `${missing} worker pods` : 'its head pod';
  const cause: Cause = {
    code: 'PodsNotCreated',
    object: ref,
    sentence: `the operator has not created ${what} of ${refText(ref)}`,
    evidence: [
      {
        object: ref,
        source: 'status.desiredWorkerReplicas',
        text: `${cluster.status?.desiredWorkerReplicas ?? 0}, pods found: ${alive.length}`,
      },
    ],
    action: "Read the operator's log.",
  };
  return ageMs(world, cluster) < CREATE_MS ? { ...cause, isProgress: true, action: 'Wait.' } : cause;
}
