import { addQuantities, formatQuantity, type Pod, quantityOf } from '@manta/api';
import { podAmounts } from '@manta/plan';

/** The names that people use for resources. */
export function resourceTitle(resource: string): string {
  if (resource === 'cpu') return 'CPU';
  if (resource === 'memory') return 'Memory';
  return resource === 'nvidia.com/gpu' ? 'GPU' : resource;
}

/** The number of a quantity, for bars and comparisons. */
export function numberOf(quantity: string | number | undefined): number {
  const found = /^(-?[\d.]+)(m|[kKMGTPE]i?)?$/.exec(String(quantity ?? '0'));
  if (found === null) return 0;
  const unit = found[2] ?? '';
  const at = 'kMGTPE'.indexOf(unit.charAt(0).replace('K', 'k'));
  const base = unit.endsWith('i') ? 1024 : 1000;
  return Number(found[1]) * (unit === 'm' ? 0.001 : unit === '' ? 1 : base ** (at + 1));
}

/** What a pod requests: `8 CPU · 16Gi · 1 GPU`. */
export function requestsOf({ spec }: Pod): string {
  if (spec === undefined) return '';
  return [...podAmounts(spec)]
    .map(([name, amount]) => {
      const text = formatQuantity(addQuantities(quantityOf(0), amount));
      return name === 'memory' ? text : `${text} ${resourceTitle(name)}`;
    })
    .join(' · ');
}

/** What a pod requests of one resource. */
export function requested(pod: Pod, resource: string): number {
  return (pod.spec?.containers ?? []).reduce(
    (sum, { resources }) => sum + numberOf(resources?.requests?.[resource] ?? resources?.limits?.[resource]),
    0,
  );
}
