import {
  type Amount,
  addQuantities,
  desiredPods,
  formatQuantity,
  isGpuResourceKey,
  type PodTemplateSpec,
  quantityOf,
  type RayClusterSpec,
  type RayClusterStatus,
} from '@manta/api';
import { type Amounts, addAmounts, containerAmounts, NO_AMOUNTS, timesAmounts } from '../amounts.ts';

/** What the status says about the size of a cluster. */
export type DesiredResources = Required<
  Pick<RayClusterStatus, 'desiredCPU' | 'desiredMemory' | 'desiredGPU' | 'desiredTPU'>
>;

/** What the pods that a cluster wants ask for, together. Counts the user's own containers, not those that we add. */
export function desiredResources(spec: RayClusterSpec): DesiredResources {
  const groups = (spec.workerGroupSpecs ?? []).map((group) =>
    timesAmounts(ownAmounts(group.template), desiredPods(group)),
  );
  const total = [ownAmounts(spec.headGroupSpec.template), ...groups].reduce(addAmounts, NO_AMOUNTS);
  const sumOf = (isCounted: (key: string) => boolean) =>
    formatQuantity([...total.keys()].toSorted().filter(isCounted).reduce(sumUp(total), ZERO));
  return {
    desiredCPU: sumOf((key) => key === 'cpu'),
    desiredMemory: sumOf((key) => key === 'memory'),
    desiredGPU: sumOf(isGpuResourceKey),
    desiredTPU: sumOf((key) => key === 'google.com/tpu'),
  };
}

const ZERO = quantityOf(0);

function ownAmounts(template: PodTemplateSpec): Amounts {
  return (template.spec?.containers ?? []).map(containerAmounts).reduce(addAmounts, NO_AMOUNTS);
}

function sumUp(amounts: Amounts): (sum: Amount, key: string) => Amount {
  return (sum, key) => addQuantities(sum, amounts.get(key) ?? ZERO);
}
