import {
  type Amount,
  type Container,
  isGpuResourceKey,
  isZeroQuantity,
  NodeType,
  parseQuantity,
  type Quantity,
  quantityValue,
} from '@manta/api';
import { commandJson } from './command-json.ts';
import { shellWord } from './shell-word.ts';
import { approximate, type StartParams } from './start-params.ts';

/**
 * The `ray start` command of a node: its parameters, completed from the Ray container's resources. Flags are sorted and separated by blanks
 * like KubeRay's, because users parse `KUBERAY_GEN_RAY_START_CMD`.
 */
export function rayStartCommand(nodeType: NodeType, params: StartParams, container: Container): string {
  const flags = renderFlags(withContainerResources(params, container));
  if (nodeType === NodeType.Head) return `ray start --head ${flags}`;
  return nodeType === NodeType.Worker ? `ray start ${flags}` : '';
}

/** Flags whose `false` must be passed explicitly. */
const EXPLICIT_BOOLEANS = new Set(['log-color', 'include-dashboard', 'include-log-monitor']);

function renderFlags(params: StartParams): string {
  return Object.keys(params)
    .toSorted()
    .map((key) => renderFlag(key, params[key] ?? ''))
    .join('');
}

function renderFlag(key: string, value: string): string {
  const lower = value.toLowerCase();
  const flag = shellWord(`--${key}`);
  if (!EXPLICIT_BOOLEANS.has(key)) {
    if (lower === 'true') return ` ${flag} `;
    if (lower === 'false') return '';
  }
  return ` ${flag}=${shellWord(value)} `;
}

/** Ray's accelerator resources by Kubernetes resource name. */
const ACCELERATORS: Readonly<Record<string, string>> = {
  'aws.amazon.com/neuroncore': 'neuron_cores',
  'google.com/tpu': 'TPU',
};

function withContainerResources(params: StartParams, container: Container): StartParams {
  const limits = container.resources?.limits ?? {};
  const requests = container.resources?.requests ?? {};
  const cpu = nonZero(limits['cpu']) ?? nonZero(requests['cpu']);
  const memory = nonZero(limits['memory']);
  return {
    ...(cpu === undefined ? {} : { 'num-cpus': String(quantityValue(cpu)) }),
    ...(memory === undefined ? {} : { memory: String(quantityValue(memory)) }),
    ...params,
    ...acceleratorParams(params, limits),
  };
}

/** GPUs and other accelerators from the limits. A `resources` parameter that is not valid JSON stays as the user wrote it. */
function acceleratorParams(params: StartParams, limits: Readonly<Record<string, Quantity>>): StartParams {
  const custom = parseCustomResources(params['resources']);
  if (custom === undefined) return {};
  const result: Record<string, string> = {};
  const keys = Object.keys(limits).toSorted();
  const gpuKey = keys.find((key) => isGpuResourceKey(key) && nonZero(limits[key]) !== undefined);
  const gpus = gpuKey === undefined ? undefined : nonZero(limits[gpuKey]);
  if (params['num-gpus'] === undefined && gpus !== undefined) result['num-gpus'] = String(quantityValue(gpus));

  const hasAccelerator = Object.values(ACCELERATORS).some((name) => Object.hasOwn(custom, name));
  const acceleratorKey = keys.find((key) => Object.hasOwn(ACCELERATORS, key) && nonZero(limits[key]) !== undefined);
  const amount = acceleratorKey === undefined ? undefined : nonZero(limits[acceleratorKey]);
  if (!hasAccelerator && acceleratorKey !== undefined && amount !== undefined) {
    const merged = {
      ...custom,
      [ACCELERATORS[acceleratorKey] ?? '']: approximate(limits[acceleratorKey] ?? '', amount),
    };
    result['resources'] = `'${commandJson(merged)}'`;
  }
  return result;
}

/**
 * Parses the `resources` parameter, which users quote for the shell in several ways; undefined when it is not a map of numbers. `null`
 * counts as 0.
 */
function parseCustomResources(text: string | undefined): Readonly<Record<string, number>> | undefined {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text.replaceAll(/^['"` ]+|['"` ]+$/g, ''));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value).map(([name, amount]): [string, unknown] => [name, amount ?? 0]);
    const amounts = entries.filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
    return amounts.length === entries.length ? Object.fromEntries(amounts) : undefined;
  } catch {
    return undefined;
  }
}

function nonZero(text: Quantity | undefined): Amount | undefined {
  if (text === undefined) return undefined;
  const quantity = parseQuantity(text);
  return quantity.ok && !isZeroQuantity(quantity.value) ? quantity.value : undefined;
}
