import type { Node, Pod } from '@manta/api';
import { hasPodEnded, podRequests, readAmounts } from '@manta/apiserver';

/** An amount of one resource on all nodes, and what pods leave of it. */
export interface Room {
  readonly total: number;
  readonly free: number;
}

/** CPUs and bytes of memory that pods can still request. */
export interface NodeLoadSummary {
  readonly cpus: Room;
  readonly memory: Room;
}

/** Amounts are counted in billionths, as the scheduler does. */
const UNIT = 1e9;

/** What the scheduler has left for further pods: the allocatable amounts of all nodes without the requests of the pods on them. */
export function nodeLoad(nodes: readonly Node[], pods: readonly Pod[]): NodeLoadSummary {
  const placed = pods.filter((pod) => pod.spec?.nodeName !== undefined && !hasPodEnded(pod)).map(podRequests);
  const room = (resource: string): Room => {
    const total = nodes.reduce((sum, { status }) => sum + amountIn(readAmounts(status?.allocatable), resource), 0);
    const requested = placed.reduce((sum, requests) => sum + amountIn(requests, resource), 0);
    return { total, free: total - requested };
  };
  return { cpus: room('cpu'), memory: room('memory') };
}

function amountIn(amounts: ReadonlyMap<string, bigint>, resource: string): number {
  return Number(amounts.get(resource) ?? 0n) / UNIT;
}
