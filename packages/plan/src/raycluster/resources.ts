import {
  addQuantities,
  type Amount,
  type Container,
  desiredPods,
  formatQuantity,
  isGpuResourceKey,
  multiplyQuantity,
  parseQuantity,
  type PodTemplateSpec,
  type Quantity,
  quantityOf,
  type RayClusterSpec,
  type RayClusterStatus,
} from '@manta/api';

/** What the status says about the size of a cluster. */
export type DesiredResources = Required<
  Pick<RayClusterStatus, 'desiredCPU' | 'desiredMemory' | 'desiredGPU' | 'desiredTPU'>
>;

type Amounts = ReadonlyMap<string, Amount>;

/** What the pods that a cluster wants ask for, together. Counts the user's own containers, not those that we add. */
export function desiredResources(spec: RayClusterSpec): DesiredResources {
  const groups = (spec.workerGroupSpecs ?? []).map((group) => times(podAmounts(group.template), desiredPods(group)));
  const total = [podAmounts(spec.headGroupSpec.template), ...groups].reduce(add, new Map());
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

function podAmounts(template: PodTemplateSpec): Amounts {
  return (template.spec?.containers ?? []).map(containerAmounts).reduce(add, new Map());
}

/** A container asks for its requests; a resource that has only a limit is requested in full. */
function containerAmounts({ resources }: Container): Amounts {
  const asked: Readonly<Record<string, Quantity>> = { ...resources?.limits, ...resources?.requests };
  const entries = Object.entries(asked).flatMap(([key, text]) => {
    const quantity = parseQuantity(text);
    return quantity.ok ? [[key, quantity.value] as const] : [];
  });
  return new Map(entries);
}

function add(a: Amounts, b: Amounts): Amounts {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return new Map([...keys].map((key) => [key, addQuantities(a.get(key) ?? ZERO, b.get(key) ?? ZERO)]));
}

function times(amounts: Amounts, count: number): Amounts {
  return new Map([...amounts].map(([key, amount]) => [key, multiplyQuantity(amount, count)]));
}

function sumUp(amounts: Amounts): (sum: Amount, key: string) => Amount {
  return (sum, key) => addQuantities(sum, amounts.get(key) ?? ZERO);
}
