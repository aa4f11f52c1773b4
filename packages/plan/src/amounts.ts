import {
  type Amount,
  addQuantities,
  type Container,
  compareQuantities,
  formatQuantity,
  multiplyQuantity,
  type PodSpec,
  parseQuantity,
  type Quantity,
  quantityOf,
} from '@manta/api';

/** Amounts by resource name. */
export type Amounts = ReadonlyMap<string, Amount>;

const ZERO = quantityOf(0);
export const NO_AMOUNTS: Amounts = new Map();

/** A container's requests; a resource with only a limit counts with its limit. */
export function containerAmounts({ resources }: Pick<Container, 'resources'>): Amounts {
  return amountsOf({ ...resources?.limits, ...resources?.requests });
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  return combine(a, b, addQuantities);
}

export function timesAmounts(amounts: Amounts, count: number): Amounts {
  return new Map([...amounts].map(([key, amount]) => [key, multiplyQuantity(amount, count)]));
}

/**
 * The effective requests of a pod: the sum of its containers, or the largest init container if that is more. Sidecars (restartable init
 * containers) count together with the containers that start after them.
 */
export function podAmounts({ containers, initContainers = [], overhead = {} }: PodSpec): Amounts {
  let running: Amounts = NO_AMOUNTS;
  let most: Amounts = NO_AMOUNTS;
  for (const container of initContainers) {
    const asked = containerAmounts(container);
    if (container.restartPolicy === 'Always') running = addAmounts(running, asked);
    most = combine(most, container.restartPolicy === 'Always' ? running : addAmounts(running, asked), larger);
  }
  const together = containers.map(containerAmounts).reduce(addAmounts, running);
  return addAmounts(combine(most, together, larger), amountsOf(overhead));
}

/** As a resource list in an object, sorted. */
export function resourceList(amounts: Amounts): Readonly<Record<string, string>> {
  const byName = [...amounts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(byName.map(([key, amount]) => [key, formatQuantity(amount)]));
}

/** The amounts of a resource list; invalid quantities are left out. */
export function amountsOf(list: Readonly<Record<string, Quantity>>): Amounts {
  const entries = Object.entries(list).flatMap(([key, text]) => {
    const quantity = parseQuantity(text);
    return quantity.ok ? [[key, quantity.value] as const] : [];
  });
  return new Map(entries);
}

function combine(a: Amounts, b: Amounts, how: (a: Amount, b: Amount) => Amount): Amounts {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return new Map([...keys].map((key) => [key, how(a.get(key) ?? ZERO, b.get(key) ?? ZERO)]));
}

function larger(a: Amount, b: Amount): Amount {
  return compareQuantities(a, b) >= 0 ? a : b;
}
