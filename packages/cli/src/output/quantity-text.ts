import { formatQuantity, parseQuantity, type Quantity } from '@manta/api';

/** A quantity in Kubernetes' shortest form; absent is `0`, and text that is no quantity is shown as it is. */
export function quantityText(quantity: Quantity | undefined): string {
  if (quantity === undefined) return '0';
  const parsed = parseQuantity(quantity);
  return parsed.ok ? formatQuantity(parsed.value) : String(quantity);
}
