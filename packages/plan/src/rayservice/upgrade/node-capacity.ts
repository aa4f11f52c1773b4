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

/** What one node that takes pods has for them. */
export interface NodeCapacity {
  readonly allocatable: Amounts;
}

/** A kind of pod that a cluster wants, and how many of it. */
interface DesiredConfig {
  readonly what: string;
  readonly asked: Amounts;
  readonly count: number;
}

/**
 * Why the cluster that is about to be made cannot be scheduled beside the one that serves, in words; undefined where nothing is known that
 * keeps it out. Only what is certain is told: pods of others, selectors and taints can make it worse, never better.
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
  const there = nodes.map(({ allocatable }) => allocatable).reduce(addAmounts, NO_AMOUNTS);
  const short = [...needed.keys()].filter((key) => compareQuantities(amount(needed, key), amount(there, key)) > 0);
  if (short.length === 0) return undefined;
  const who = beside === undefined ? 'the new cluster asks' : 'the old and the new cluster together ask';
  return `${who} for ${listed(needed, short)}, and all nodes together have ${listed(there, short)}`;
}

function podsOf({ headGroupSpec, workerGroupSpecs = [] }: RayClusterSpec): readonly DesiredConfig[] {
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

function total(wanted: readonly DesiredConfig[]): Amounts {
  return wanted.map(({ asked, count }) => timesAmounts(asked, count)).reduce(addAmounts, NO_AMOUNTS);
}

function fits(asked: Amounts, room: Amounts): boolean {
  return [...asked.keys()].every((key) => compareQuantities(amount(asked, key), amount(room, key)) <= 0);
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
