import { type Container, parseQuantity, type Pod, type Quantity } from '@manta/api';

/** Amounts by resource name, in billionths. */
export type Amounts = ReadonlyMap<string, bigint>;

/** What a pod asks a node for: the sum of its containers, or more where an init container needs more on its own. */
export function podRequests(pod: Pod): Amounts {
  return podTotal(pod, 'requests');
}

/** The same of its requests or of its limits. */
export function podTotal(pod: Pod, which: 'requests' | 'limits'): Amounts {
  const requestsOf = ({ resources }: Container) => readAmounts(resources?.[which]);
  const { containers = [], initContainers = [], overhead } = pod.spec ?? {};
  const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';
  const sidecars = sum(initContainers.filter(isSidecar).map(requestsOf));
  const running = plus(sum(containers.map(requestsOf)), sidecars);
  const starting = initContainers
    .filter((container) => !isSidecar(container))
    .map((container) => plus(requestsOf(container), sidecars));
  return plus(starting.reduce(larger, running), readAmounts(overhead));
}

/** Reads a resource list; what is no quantity counts as nothing. */
export function readAmounts(list: Readonly<Record<string, Quantity>> = {}): Amounts {
  return new Map(
    Object.entries(list).map(([name, quantity]) => {
      const parsed = parseQuantity(quantity);
      return [name, parsed.ok ? parsed.value.nanos : 0n];
    }),
  );
}

function plus(a: Amounts, b: Amounts): Amounts {
  return combine(a, b, (x, y) => x + y);
}

function larger(a: Amounts, b: Amounts): Amounts {
  return combine(a, b, (x, y) => (x > y ? x : y));
}

function sum(lists: readonly Amounts[]): Amounts {
  return lists.reduce(plus, new Map());
}

function combine(a: Amounts, b: Amounts, join: (x: bigint, y: bigint) => bigint): Amounts {
  return new Map(
    [...new Set([...a.keys(), ...b.keys()])].map((name) => [name, join(a.get(name) ?? 0n, b.get(name) ?? 0n)]),
  );
}
