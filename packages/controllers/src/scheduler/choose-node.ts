import type { Pod } from '@manta/api';
import { type Misfit, misfitOf, type NodeLoad } from './node-fit.ts';
import { readAmounts } from '@manta/apiserver';

/** Where a pod goes, or why it cannot go anywhere. */
export type Choice = { readonly node: string } | { readonly message: string };

/** Picks the node that is left with the most room; of equal ones that with fewest pods, then the first by name. */
export function chooseNode(pod: Pod, loads: readonly NodeLoad[]): Choice {
  if (loads.length === 0) return { message: 'no nodes available to schedule pods' };
  const judged = loads.map((load) => ({ load, misfit: misfitOf(pod, load) }));
  const [best] = judged
    .filter(({ misfit }) => misfit === undefined)
    .map(({ load }) => ({ load, room: roomOn(load) }))
    .toSorted(
      (a, b) => b.room - a.room || a.load.podCount - b.load.podCount || (nameOf(a.load) < nameOf(b.load) ? -1 : 1),
    );
  if (best !== undefined) return { node: nameOf(best.load) };
  return { message: explain(judged.flatMap(({ misfit }) => misfit ?? [])) };
}

/** The text that `kubectl describe` shows: how many nodes failed for which reason, and that making room would not help. */
function explain(misfits: readonly Misfit[]): string {
  const none = `0/${misfits.length} nodes are available:`;
  const preemption = misfits.map(({ couldPreempt }) =>
    couldPreempt ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
  );
  const reasons = histogram(misfits.flatMap((misfit) => misfit.reasons));
  return `${none} ${reasons}. no new claims to deallocate, preemption: ${none} ${histogram(preemption)}.`;
}

function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted()
    .join(', ');
}

/** The free part of a node, 0 to 100, averaged over processors and memory. */
function roomOn({ node, requested }: NodeLoad): number {
  const allocatable = readAmounts(node.status?.allocatable ?? node.status?.capacity);
  const free = ['cpu', 'memory'].map((name) => {
    const all = allocatable.get(name) ?? 0n;
    return all <= 0n ? 0 : Number(((all - (requested.get(name) ?? 0n)) * 100n) / all);
  });
  return free.reduce((sum, part) => sum + part, 0) / free.length;
}

function nameOf({ node }: NodeLoad): string {
  return node.metadata?.name ?? '';
}
