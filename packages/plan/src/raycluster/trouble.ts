import {
  type ConditionVerdict,
  isConditionTrue,
  RayClusterConditionType,
  RayClusterEventReason,
  type RayClusterStatus,
} from '@manta/api';
import { type Action, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { firstTroubled, troubleInWords, troubleReason, UNSCHEDULED } from '../shared/pod-trouble.ts';
import { lackingResource } from '../shared/room.ts';
import { ownPods } from './cluster-state.ts';
import type { ClusterState } from './cluster-state.ts';
import type { ObservedRayCluster, PodRecord } from './observed.ts';
import { headsOf } from './pods.ts';

/** The HeadPodReady condition of a head that no node has room for: the pod itself has no Ready condition yet. Undefined for other heads. */
export function unscheduledHead(
  state: Pick<ClusterState, 'cluster' | 'pods' | 'headRoom'>,
): ConditionVerdict | undefined {
  const [head] = headsOf(state.pods);
  if (head?.trouble?.startsWith(UNSCHEDULED) !== true) return undefined;
  return { status: 'False', reason: troubleReason(head.trouble), message: headMessage(state, head) };
}

/** Once written, the message stays as long as the scheduler says the same of this pod: free room changes all the time. */
function headMessage({ cluster, headRoom }: Pick<ClusterState, 'cluster' | 'headRoom'>, head: PodRecord): string {
  const { trouble = '' } = head;
  const reported = isAbout(cluster, head) ? troubleInWords(head, cluster) : trouble;
  return reported !== trouble || headRoom === undefined ? reported : `${trouble} The pod ${headRoom}.`;
}

/** The head pod for which the room on nodes has to be read: the status does not report its trouble yet. */
export function headWithoutRoom(observed: Pick<ObservedRayCluster, 'cluster' | 'pods'>): PodRecord | undefined {
  const [head] = headsOf(ownPods(observed));
  if (head?.trouble?.startsWith(UNSCHEDULED) !== true || head.isTerminating) return undefined;
  const reported = observed.cluster.status?.conditions?.find(
    ({ type }) => type === RayClusterConditionType.HeadPodReady,
  );
  const isReported = isAbout(observed.cluster, head) && reported?.message.startsWith(head.trouble) === true;
  return isReported || lackingResource(head.trouble) === undefined ? undefined : head;
}

/** Whether the status is about this head pod: an earlier one may have asked for another amount. */
function isAbout({ status }: ObservedRayCluster['cluster'], head: PodRecord): boolean {
  return status?.head?.podName === head.name;
}

/** `status.reason`: one word for what keeps the cluster's pods from running; undefined if nothing does. */
export function statusReason(
  pods: readonly PodRecord[],
  conditions: RayClusterStatus['conditions'] = [],
): string | undefined {
  const { ReplicaFailure } = RayClusterConditionType;
  const failure = conditions.find(({ type }) => type === ReplicaFailure && isConditionTrue(conditions, ReplicaFailure));
  if (failure !== undefined) return failure.reason;
  const trouble = firstTroubled(pods)?.trouble;
  return trouble === undefined ? undefined : troubleReason(trouble);
}

/** A Warning event when pods begin not to start. The stored status tells which trouble has been reported. */
export function warnAboutPods(state: ClusterState): readonly Action[] {
  const pods = ownPods(state);
  const pod = firstTroubled(pods);
  if (pod?.trouble === undefined || state.cluster.status?.reason === troubleReason(pod.trouble)) return [];
  const words = pod === headsOf(pods)[0] ? headMessage(state, pod) : pod.trouble;
  const note = `Pod ${fullName(state, pod.name)}: ${words}`;
  return [{ type: 'event', event: warning(RayClusterEventReason.PodNotStarting, 'Reconcile', note) }];
}
