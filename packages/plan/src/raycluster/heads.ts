import { NodeType } from '@manta/api';
import type { PodRecord } from './observed.ts';

/** The head pods of a cluster, the one that counts first: one that stays before one that is going, then the oldest. */
export function headsOf(pods: readonly PodRecord[]): readonly PodRecord[] {
  return pods.filter(({ nodeType }) => nodeType === NodeType.Head).toSorted(byStanding);
}

function byStanding(a: PodRecord, b: PodRecord): number {
  const leaving = Number(a.isTerminating) - Number(b.isTerminating);
  return leaving || a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1);
}
