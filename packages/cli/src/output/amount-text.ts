import { formatQuantity } from '@manta/api';
import type { Amounts } from '@manta/plan';

export const GPU = 'nvidia.com/gpu';
export const TPU = 'google.com/tpu';

/** One resource of a sum; absent is `0`. */
export function amountText(amounts: Amounts, resource: string): string {
  const amount = amounts.get(resource);
  return amount === undefined ? '0' : formatQuantity(amount);
}
