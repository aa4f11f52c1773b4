import { ownValue } from '@manta/base';
import { type Container, parseQuantity, quantityMilliValue } from '@manta/api';
import type { Limits } from './cgroups.ts';

/** What a container's limits say, in numbers; none is no limit, and so is zero. */
export function limitsOf({ resources }: Container): Limits {
  const milli = (name: string) => {
    const text = ownValue(resources?.limits, name);
    const parsed = text === undefined ? undefined : parseQuantity(text);
    const value = parsed?.ok === true ? Number(quantityMilliValue(parsed.value)) / 1000 : 0;
    return value > 0 ? value : undefined;
  };
  const [memory, cpus] = [milli('memory'), milli('cpu')];
  return { memoryBytes: memory === undefined ? undefined : Math.floor(memory), cpus };
}
