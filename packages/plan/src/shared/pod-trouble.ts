import { RayClusterConditionType, type RayCluster } from '@manta/api';
import type { PodRecord } from '../raycluster/observed.ts';

/** How the trouble of a pod begins that no node has room for. */
export const UNSCHEDULED = 'cannot be scheduled: ';

/** A word for the trouble of a pod, for reasons of conditions and columns: `Unschedulable`, `ImagePull`, `CrashLoopBackOff`. */
export function troubleReason(trouble: string): string {
  if (trouble.startsWith(UNSCHEDULED)) return 'Unschedulable';
  if (trouble.endsWith(' cannot be pulled')) return 'ImagePull';
  return /^container \S+: (\w+)/.exec(trouble)?.[1] ?? 'PodNotStarting';
}

/** Of the pods that do not start the one to report: the head, because workers wait for it, else the first by name. */
export function firstTroubled(pods: readonly PodRecord[]): PodRecord | undefined {
  const troubled = pods.filter(({ trouble, isTerminating }) => trouble !== undefined && !isTerminating);
  const byName = troubled.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return byName.find(({ head }) => head !== undefined) ?? byName[0];
}

/** The pod's trouble. For a head without room the status of its cluster also says how much room there is. */
export function troubleInWords(
  { trouble = '', head }: PodRecord,
  cluster: Pick<RayCluster, 'status'> | undefined,
): string {
  if (head === undefined || !trouble.startsWith(UNSCHEDULED)) return trouble;
  const reported = cluster?.status?.conditions?.find(({ type }) => type === RayClusterConditionType.HeadPodReady);
  return reported?.message.startsWith(trouble) === true ? reported.message : trouble;
}
