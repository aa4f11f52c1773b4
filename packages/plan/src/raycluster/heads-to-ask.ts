import { isConditionTrue, RayClusterConditionType } from '@manta/api';
import { headsOf } from './heads.ts';
import type { ObservedRayCluster, PodRecord } from './observed.ts';
import { workersToRejoin } from './rejoin.ts';
import { ownPods } from './subject.ts';
import { whyDelete } from './unhealthy.ts';

/** Ray itself gives a node a minute to find its head again; before that there is nothing to ask. */
export const ASK_AFTER_MS = 60_000;
/** A head that never answers is not asked for ever. */
const ASK_FOR_MS = 3_600_000;

/**
 * The heads whose node lists a decision needs now. That is so with two heads, and for a while after the head was replaced; at all other
 * times nobody is asked.
 */
export function headsToAsk(observed: ObservedRayCluster): readonly PodRecord[] {
  const heads = headsInQuestion(observed);
  return heads.length > 0 && askFrom(heads) <= observed.now ? heads : [];
}

/** How long until heads are to be asked; undefined when none is, or when they are asked already. */
export function askInMs(observed: ObservedRayCluster): number | undefined {
  const heads = headsInQuestion(observed);
  const leftMs = askFrom(heads) - observed.now;
  return heads.length > 0 && leftMs > 0 ? leftMs : undefined;
}

function askFrom(heads: readonly PodRecord[]): number {
  return Math.max(...heads.map(({ createdAt }) => createdAt)) + ASK_AFTER_MS;
}

function headsInQuestion(observed: ObservedRayCluster): readonly PodRecord[] {
  const { cluster, now, context } = observed;
  const pods = ownPods(observed);
  const isBusyOtherwise =
    cluster.metadata?.deletionTimestamp !== undefined ||
    cluster.spec?.suspend === true ||
    isConditionTrue(cluster.status?.conditions, RayClusterConditionType.Suspending);
  if (isBusyOtherwise) return [];
  const staying = headsOf(pods).filter((pod) => !pod.isTerminating && whyDelete(pod, context.env) === undefined);
  const [head] = staying;
  if (head === undefined || staying.some(({ podIP }) => podIP === '')) return [];
  if (staying.length > 1) return staying;
  const isRecent = now < head.createdAt + ASK_FOR_MS;
  return isRecent && workersToRejoin({ cluster, pods }, head).length > 0 ? [head] : [];
}
