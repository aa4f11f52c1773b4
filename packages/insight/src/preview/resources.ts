import { addQuantities, type Amount, compareQuantities, formatQuantity, quantityOf } from '@manta/api';
import { addAmounts, type Amounts, NO_AMOUNTS, podAmounts } from '@manta/plan';
import type { ResourceChange } from './types.ts';
import type { VirtualCluster } from './virtual-cluster.ts';

const ZERO: Amount = quantityOf(0);

/** What the pods of a virtual cluster request. Terminating pods count: they hold their resources until they end. */
export function requestedBy({ objects }: VirtualCluster): Amounts {
  return [...objects.Pod.values()]
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    .map(({ spec }) => (spec === undefined ? NO_AMOUNTS : podAmounts(spec)))
    .reduce(addAmounts, NO_AMOUNTS);
}

/** For each resource the larger amount. */
export function mostOf(a: Amounts, b: Amounts): Amounts {
  const names = [...new Set([...a.keys(), ...b.keys()])];
  return new Map(names.map((name) => [name, larger(amount(a, name), amount(b, name))]));
}

export function resourceChanges(before: Amounts, peak: Amounts, after: Amounts): readonly ResourceChange[] {
  const names = [...new Set(['cpu', 'memory', ...peak.keys()])];
  return names
    .map((resource) => ({
      resource,
      before: text(before, resource),
      peak: text(peak, resource),
      after: text(after, resource),
    }))
    .filter((change) => change.before !== change.peak || change.before !== change.after);
}

function amount(amounts: Amounts, name: string): Amount {
  return amounts.get(name) ?? ZERO;
}

function larger(a: Amount, b: Amount): Amount {
  return compareQuantities(a, b) >= 0 ? a : b;
}

function text(amounts: Amounts, name: string): string {
  return formatQuantity(addQuantities(ZERO, amount(amounts, name)));
}
