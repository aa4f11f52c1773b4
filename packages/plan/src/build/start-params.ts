import {
  type Amount,
  DefaultPort,
  isGpuResourceKey,
  parseQuantity,
  type Quantity,
  quantityValue,
  type StringMap,
} from '@manta/api';
import { commandJson } from './command-json.ts';

/** Flags of `ray start` without their dashes. */
export type StartParams = StringMap;

interface Group {
  readonly rayStartParams?: StringMap;
  readonly resources?: StringMap;
  readonly labels?: StringMap;
}

/** The group's parameters, with its top-level `resources` and `labels` merged in. */
export function groupStartParams({ rayStartParams = {}, resources = {}, labels = {} }: Group): StartParams {
  return { ...rayStartParams, ...paramsFromResources(resources), ...paramsFromLabels(labels) };
}

/** Adds a head's defaults. `block` is always set: the container must live as long as Ray. */
export function headStartParams(params: StartParams, isAutoscaling: boolean): StartParams {
  return {
    'dashboard-host': '0.0.0.0',
    ...COMMON,
    ...params,
    block: 'true',
    ...(isAutoscaling ? { 'no-monitor': 'true' } : {}),
  };
}

/** Adds a worker's defaults. */
export function workerStartParams(params: StartParams, headAddress: string): StartParams {
  return { address: headAddress, ...COMMON, ...params, block: 'true' };
}

/** The GCS port from the head's parameters. */
export function headPortOf(params: StartParams | undefined): string {
  return params?.['port'] ?? String(DefaultPort.GcsServer);
}

/**
 * A quantity as a floating-point number, as Ray counts resources. A decimal quantity is computed as digits times a power of ten like
 * KubeRay does: `300m` is 0.3 and `0.3` is 0.30000000000000004, so that commands of both operators are equal.
 */
export function approximate(text: Quantity, { nanos }: Amount): number {
  const [, whole = '', fraction = '', unit = '', power = '0'] = DECIMAL.exec(String(text)) ?? [];
  const digits = whole + fraction;
  const isShort = /\d/.test(digits) && digits.length <= LONGEST;
  if (!isShort) return Number(nanos / NANOS) + Number(nanos % NANOS) / Number(NANOS);
  return Number(digits) * Number(`1e${(UNITS[unit] ?? 0) + Number(power) - fraction.length}`);
}

const NANOS = 10n ** 9n;
const DECIMAL = /^([+-]?\d*)(?:\.(\d*))?(?:([numkMGTPE])|[eE]([+-]?\d+))?$/;
/** The number of digits that always fit a 64-bit integer. */
const LONGEST = 18;
const UNITS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

const COMMON: StartParams = {
  'metrics-export-port': String(DefaultPort.Metrics),
  'dashboard-agent-listen-port': String(DefaultPort.DashboardAgent),
};

function paramsFromLabels(labels: StringMap): StartParams {
  const pairs = Object.keys(labels)
    .toSorted()
    .map((key) => `${key}=${labels[key]}`);
  return pairs.length === 0 ? {} : { labels: pairs.join(',') };
}

/** Invalid quantities are left out: the field is free text, and one bad entry must not affect the others. */
function paramsFromResources(resources: StringMap): StartParams {
  const params: Record<string, string> = {};
  const custom: Record<string, number> = {};
  for (const key of Object.keys(resources).toSorted()) {
    const quantity = parseQuantity(resources[key] ?? '');
    if (!quantity.ok) continue;
    const lower = key.toLowerCase();
    if (lower === 'cpu') params['num-cpus'] = String(quantityValue(quantity.value));
    else if (lower === 'memory') params['memory'] = String(quantityValue(quantity.value));
    else if (isGpuResourceKey(lower)) params['num-gpus'] = String(quantityValue(quantity.value));
    else custom[key] = approximate(resources[key] ?? '', quantity.value);
  }
  if (Object.keys(custom).length > 0) params['resources'] = `'${commandJson(custom)}'`;
  return params;
}
