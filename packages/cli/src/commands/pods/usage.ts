import { parseQuantity, type Pod, quantityMilliValue, quantityValue } from '@manta/api';

/** What a pod uses now. */
export interface Usage {
  readonly milliCpus: number;
  readonly memoryBytes: number;
  readonly gpuPercent?: number;
  readonly objectStoreBytes?: number;
}

/** Usage by pod name, from the answer of the metrics API (metrics.k8s.io). */
export function usageFromMetrics(answer: unknown): ReadonlyMap<string, Usage> {
  return new Map(
    listOf(fieldOf(answer, 'items')).map((item) => {
      const containers = listOf(fieldOf(item, 'containers')).map((container) => fieldOf(container, 'usage'));
      const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
      return [
        String(fieldOf(fieldOf(item, 'metadata'), 'name')),
        {
          milliCpus: sum(containers.map((usage) => milli(fieldOf(usage, 'cpu')))),
          memoryBytes: sum(containers.map((usage) => bytes(fieldOf(usage, 'memory')))),
        },
      ] as const;
    }),
  );
}

/** Usage by IP address, from the node summary of a Ray dashboard. */
export function usageFromRay(answer: unknown): ReadonlyMap<string, Usage> {
  const nodes = listOf(fieldOf(fieldOf(answer, 'data'), 'summary'));
  return new Map(
    nodes.map((node) => {
      const cpus = numberOf(listOf(fieldOf(node, 'cpus'))[0]);
      const memory = listOf(fieldOf(node, 'mem'));
      const gpus = listOf(fieldOf(node, 'gpus')).map((gpu) => numberOf(fieldOf(gpu, 'utilizationGpu')));
      return [
        String(fieldOf(node, 'ip')),
        {
          milliCpus: Math.round(numberOf(fieldOf(node, 'cpu')) * cpus * MILLI_PER_PERCENT),
          memoryBytes: numberOf(memory[3]),
          objectStoreBytes: numberOf(fieldOf(fieldOf(node, 'raylet'), 'objectStoreUsedMemory')),
          ...(gpus.length > 0 && { gpuPercent: Math.round(gpus.reduce((a, b) => a + b, 0) / gpus.length) }),
        },
      ] as const;
    }),
  );
}

const MILLI_PER_PERCENT = 10;

/** What all containers of a pod request. */
export function requestsOf({ spec }: Pod): { readonly milliCpus: number; readonly memoryBytes: number } {
  const requests = (spec?.containers ?? []).map(({ resources }) => resources?.requests ?? {});
  return {
    milliCpus: requests.reduce((sum, one) => sum + milli(one['cpu']), 0),
    memoryBytes: requests.reduce((sum, one) => sum + bytes(one['memory']), 0),
  };
}

function milli(quantity: unknown): number {
  const parsed = quantityOf(quantity);
  return parsed?.ok === true ? Number(quantityMilliValue(parsed.value)) : 0;
}

function bytes(quantity: unknown): number {
  const parsed = quantityOf(quantity);
  return parsed?.ok === true ? Number(quantityValue(parsed.value)) : 0;
}

function quantityOf(value: unknown): ReturnType<typeof parseQuantity> | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
