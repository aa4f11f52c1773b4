import {
  type Amount,
  addQuantities,
  compareQuantities,
  desiredPods,
  formatQuantity,
  type PodTemplateSpec,
  quantityOf,
  type RayClusterSpec,
} from '@manta/api';
import { type Amounts, addAmounts, NO_AMOUNTS, podAmounts, timesAmounts } from '../../amounts.ts';
import type { ServiceState } from '../service-state.ts';

/** The resources of one schedulable node. */
export interface NodeCapacity {
  readonly allocatable: Amounts;
}

/** The head pod or the pods of one worker group. */
interface PodDemand {
  readonly what: string;
  readonly asked: Amounts;
  readonly count: number;
}

/**
 * Why the new cluster cannot be scheduled beside the active one, in words; undefined when its pods may fit. It reports only what is certain:
 * other pods, selectors and taints can reduce the capacity further, but never add to it.
 */
export function nodeCapacityShortfall({ nodes, spec, active, strategy }: ServiceState): string | undefined {
  if (nodes === undefined || nodes.length === 0) return undefined;
  const wanted = podsOf(spec.rayClusterConfig);
  const tooLarge = wanted.find(({ asked }) => !nodes.some(({ allocatable }) => fits(asked, allocatable)));
  if (tooLarge !== undefined) {
    return `no node is large enough for ${tooLarge.what}, which asks for ${listed(tooLarge.asked, [...tooLarge.asked.keys()])}`;
  }
  const beside = strategy.kind === 'recreate' ? undefined : active.view?.cluster.spec;
  const needed = addAmounts(total(wanted), beside === undefined ? NO_AMOUNTS : total(podsOf(beside)));
  const available = nodes.map(({ allocatable }) => allocatable).reduce(addAmounts, NO_AMOUNTS);
  const short = [...needed.keys()].filter((key) => compareQuantities(amount(needed, key), amount(available, key)) > 0);
  if (short.length === 0) return undefined;
  const who = beside === undefined ? 'the new cluster asks' : 'the old and the new cluster together ask';
  return `${who} for ${listed(needed, short)}, and all nodes together have ${listed(available, short)}`;
}

function podsOf({ headGroupSpec, workerGroupSpecs = [] }: RayClusterSpec): readonly PodDemand[] {
  const groups = workerGroupSpecs.map((group) => ({
    what: `a pod of the worker group ${group.groupName ?? ''}`,
    asked: askedBy(group.template),
    count: desiredPods(group),
  }));
  const head = { what: 'the head pod', asked: askedBy(headGroupSpec.template), count: 1 };
  return [head, ...groups].filter(({ count }) => count > 0);
}

function askedBy({ spec }: PodTemplateSpec): Amounts {
  return spec === undefined ? NO_AMOUNTS : podAmounts({ ...spec, containers: spec.containers ?? [] });
}

function total(wanted: readonly PodDemand[]): Amounts {
  return wanted.map(({ asked, count }) => timesAmounts(asked, count)).reduce(addAmounts, NO_AMOUNTS);
}

function fits(asked: Amounts, capacity: Amounts): boolean {
  return [...asked.keys()].every((key) => compareQuantities(amount(asked, key), amount(capacity, key)) <= 0);
}

function amount(amounts: Amounts, key: string): Amount {
  return amounts.get(key) ?? ZERO;
}

const ZERO = quantityOf(0);

function listed(amounts: Amounts, keys: readonly string[]): string {
  return keys
    .toSorted()
    .map((key) => `${formatQuantity(addQuantities(ZERO, amount(amounts, key)))} ${key}`)
    .join(', ');
}
