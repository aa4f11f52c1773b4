import { isConditionTrue, RayClusterConditionType } from '@manta/api';
import { headsOf } from './heads.ts';
import type { ObservedRayCluster, PodRecord } from './observed.ts';
import { workersToRejoin } from './rejoin.ts';
import { whyDelete } from './unhealthy.ts';

/** A head that never answers is not asked for ever. */
const ASK_FOR_MS = 3_600_000;

/**
 * The heads whose node lists a decision needs now. That is so with two heads, and for a while after the head was replaced; at all other
 * times nobody is asked.
 */
export function headsToAsk(observed: ObservedRayCluster): readonly PodRecord[] {
  const { cluster, pods, now } = observed;
  const isBusyOtherwise =
    cluster.metadata?.deletionTimestamp !== undefined ||
    cluster.spec?.suspend === true ||
    isConditionTrue(cluster.status?.conditions, RayClusterConditionType.Suspending);
  if (isBusyOtherwise) return [];
  const staying = headsOf(pods).filter((pod) => !pod.isTerminating && whyDelete(pod) === undefined);
  const [head, second] = staying.filter(({ podIP }) => podIP !== '');
  if (head === undefined) return [];
  if (staying.length > 1) return second === undefined ? [] : staying.filter(({ podIP }) => podIP !== '');
  const isRecent = now < head.createdAt + ASK_FOR_MS;
  return isRecent && workersToRejoin(observed, head).length > 0 ? [head] : [];
}
