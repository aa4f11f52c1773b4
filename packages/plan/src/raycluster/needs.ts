import {
  isConditionTrue,
  isManagedExternally,
  isTlsEnabled,
  NodeType,
  RayClusterConditionType,
  withRayClusterDefaults,
} from '@manta/api';
import { clusterStateOf, ownPods } from './cluster-state.ts';
import { reasonToDelete } from './ended-pods.ts';
import { HEAD_PLACE, isHeadWanted, predecessorOf } from './head-name.ts';
import type { ObservedRayCluster, PodRecord } from './observed.ts';
import { headsOf } from './pods.ts';
import { headWithoutRoom } from './trouble.ts';
import { isValidCluster } from './validation.ts';
import { workersToRejoin } from './worker-rejoin.ts';

/** What a plan for a RayCluster needs to know beyond the caches. */
export interface RayClusterNeeds {
  /** The cluster, its pods and Services as the API server has them. */
  readonly live: boolean;
  /** Whether the certificates of a cluster with mutual TLS exist. */
  readonly certificates: boolean;
  /** The head pod that no node has room for: how much room there is. */
  readonly roomFor?: PodRecord | undefined;
  /** The heads whose lists of Ray nodes are needed. */
  readonly nodeListsOf: readonly PodRecord[];
}

const NO_NEEDS: RayClusterNeeds = { live: false, certificates: false, nodeListsOf: [] };

/** What else has to be read. `startedAt` is when this operator started, in milliseconds since the epoch. */
export function rayClusterNeeds(observed: ObservedRayCluster, startedAt: number): RayClusterNeeds {
  const { cluster, context, missingPermissions = [] } = observed;
  if (missingPermissions.length > 0) return NO_NEEDS;
  return {
    live: isHeadMissing(observed, startedAt),
    certificates: isTlsEnabled(cluster.spec, context.gates),
    nodeListsOf: headsToAsk(observed),
    roomFor: headWithoutRoom(observed),
  };
}

/**
 * Whether a head seems to be missing that existed before, or may have existed before this operator started. A stale pod cache looks the
 * same, so the API server has to confirm it before a new head is created.
 */
function isHeadMissing(observed: ObservedRayCluster, startedAt: number): boolean {
  if (ownPods(observed).some(({ nodeType }) => nodeType === NodeType.Head)) return false;
  const { status, metadata } = observed.cluster;
  // The API gives whole seconds.
  const createdAt = Date.parse(metadata?.creationTimestamp ?? '') + 999;
  const isNew = predecessorOf(status) === undefined && createdAt >= startedAt;
  const isFirst = isNew && !observed.lastHolders.has(HEAD_PLACE);
  if (isFirst || metadata?.deletionTimestamp !== undefined) return false;
  const cluster = withRayClusterDefaults(observed.cluster);
  const { spec } = cluster;
  if (spec === undefined || isManagedExternally(spec)) return false;
  const state = clusterStateOf(observed, cluster, spec);
  return isHeadWanted(state) && isValidCluster(state);
}

/** Ray gives a node one minute to reconnect to its head; before that its list of nodes says nothing. */
export const ASK_AFTER_MS = 60_000;
/** How long a head that never answers is asked. */
const ASK_FOR_MS = 3_600_000;

/** The heads whose node lists a decision needs now: with two heads, and for a while after the head was replaced. */
function headsToAsk(observed: ObservedRayCluster): readonly PodRecord[] {
  const heads = headsInQuestion(observed);
  return heads.length > 0 && askFrom(heads) <= observed.now ? heads : [];
}

/** When node lists will be needed; undefined when they are not, or already are. */
export function nodeListRequeueMs(observed: ObservedRayCluster): number | undefined {
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
  const isShuttingDown =
    cluster.metadata?.deletionTimestamp !== undefined ||
    cluster.spec?.suspend === true ||
    isConditionTrue(cluster.status?.conditions, RayClusterConditionType.Suspending);
  if (isShuttingDown) return [];
  const staying = headsOf(pods).filter((pod) => !pod.isTerminating && reasonToDelete(pod, context.env) === undefined);
  const [head] = staying;
  if (head === undefined || staying.some(({ podIP }) => podIP === '')) return [];
  if (staying.length > 1) return staying;
  const isRecent = now < head.createdAt + ASK_FOR_MS;
  return isRecent && workersToRejoin({ cluster, pods }, head).length > 0 ? [head] : [];
}
