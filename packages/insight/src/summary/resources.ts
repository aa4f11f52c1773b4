import { addQuantities, type Amount, formatQuantity, isGpuResourceKey, type Pod, quantityOf } from '@manta/api';
import { addAmounts, type Amounts, amountsOf, NO_AMOUNTS, podAmounts } from '@manta/plan';
import { find, podsOfCluster } from '../lookup.ts';
import { rayRefs } from '../tree/tree.ts';
import { itemsOf, type RayRef, type World } from '../world.ts';

/** One resource: what Ray pods request, and what the nodes have. */
export interface ResourceRow {
  readonly resource: string;
  readonly requested: string;
  /** Requested by pods that no node has taken. */
  readonly waiting: string;
  /** Of all nodes; absent if nodes cannot be read. */
  readonly allocatable?: string;
}

/** CPU, memory and devices of the Ray pods below an object, or of all. */
export function resourceRows(world: World, ref?: RayRef): readonly ResourceRow[] {
  const pods = podsBelow(world, ref).filter(
    ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
  const requested = sum(pods);
  const waiting = sum(pods.filter(({ spec }) => (spec?.nodeName ?? '') === ''));
  const allocatable = itemsOf(world.nodes)
    .map(({ status }) => amountsOf(status?.allocatable ?? {}))
    .reduce(addAmounts, NO_AMOUNTS);
  const names = [...new Set(['cpu', 'memory', ...[...requested.keys()].filter(isDevice)])];
  return names.map((resource) => {
    const total = world.nodes.kind === 'seen' ? { allocatable: text(allocatable, resource) } : {};
    return { resource, requested: text(requested, resource), waiting: text(waiting, resource), ...total };
  });
}

function isDevice(name: string): boolean {
  return isGpuResourceKey(name) || name.endsWith('/tpu');
}

function sum(pods: readonly Pod[]): Amounts {
  return pods.map(({ spec }) => (spec === undefined ? NO_AMOUNTS : podAmounts(spec))).reduce(addAmounts, NO_AMOUNTS);
}

const ZERO: Amount = quantityOf(0);

function text(amounts: Amounts, resource: string): string {
  return formatQuantity(addQuantities(ZERO, amounts.get(resource) ?? ZERO));
}

function podsBelow(world: World, ref: RayRef | undefined): readonly Pod[] {
  const clusters =
    ref === undefined
      ? rayRefs(world, 'RayCluster').map(({ namespace, name }) => ({ namespace, name }))
      : clustersOf(world, ref);
  return clusters.flatMap(({ namespace, name }) => {
    const cluster = find(world.rayClusters, namespace, name);
    return cluster === undefined ? [] : podsOfCluster(world, cluster);
  });
}

function clustersOf(
  world: World,
  { kind, namespace, name }: RayRef,
): readonly { readonly namespace: string; readonly name: string }[] {
  const named = (...names: readonly (string | undefined)[]) =>
    names.flatMap((each) => (each === undefined || each === '' ? [] : [{ namespace, name: each }]));
  switch (kind) {
    case 'RayCluster':
      return named(name);
    case 'RayJob':
      return named(find(world.rayJobs, namespace, name)?.status?.rayClusterName);
    case 'RayService': {
      const { activeServiceStatus, pendingServiceStatus } = find(world.rayServices, namespace, name)?.status ?? {};
      return named(activeServiceStatus?.rayClusterName, pendingServiceStatus?.rayClusterName);
    }
    case 'RayCronJob':
      return [];
  }
}
