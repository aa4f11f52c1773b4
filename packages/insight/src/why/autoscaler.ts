import {
  desiredPods,
  isAutoscalingEnabled,
  isGpuResourceKey,
  maxWorkerPods,
  type Pod,
  type PodTemplateSpec,
  parseQuantity,
  type RayCluster,
  type StringMap,
} from '@manta/api';
import { isHead, refText } from '../lookup.ts';
import type { RayRef, World } from '../world.ts';
import type { Cause } from './cause.ts';

/** Requests that Ray cannot satisfy: they fit no pod of the cluster, or the worker groups are at their maximum. */
export function autoscalerDemand(
  ref: RayRef,
  { spec }: RayCluster,
  pods: readonly Pod[],
  world: World,
): Cause | undefined {
  const demand = world.ray.get(`${ref.namespace}/${ref.name}`)?.demand;
  if (demand === undefined || demand.pending.length === 0 || spec === undefined) return undefined;
  const groups = [spec.headGroupSpec, ...(spec.workerGroupSpecs ?? [])];
  const text = demand.pending.map(({ resources, count }) => `${count} × ${bundleText(resources)}`).join(', ');
  const evidence = [{ object: ref, source: 'Ray autoscaler demand', text }];
  const misfit = demand.pending.find(({ resources }) => !groups.some((group) => fits(resources, group)));
  if (misfit !== undefined)
    return {
      code: 'DemandNeverFits',
      object: ref,
      sentence: `Ray asks for ${bundleText(misfit.resources)} at once, and no group of ${refText(ref)} has pods that large`,
      evidence,
      action: 'Lower what the task or actor asks for, or add a worker group that has it.',
    };
  if (!isAutoscalingEnabled(spec)) return undefined;
  const workers = pods.filter((pod) => !isHead(pod)).length;
  const wanted = (spec.workerGroupSpecs ?? []).reduce((sum, group) => sum + desiredPods(group), 0);
  if (Math.max(workers, wanted) < maxWorkerPods(spec)) return undefined;
  return {
    code: 'AutoscalerAtMaximum',
    object: ref,
    sentence: `Ray waits for ${text}, and all worker groups of ${refText(ref)} are at maxReplicas`,
    evidence,
    action: 'Raise maxReplicas of a worker group, or wait until other work ends.',
  };
}

function bundleText(resources: Readonly<Record<string, number>>): string {
  return `{${Object.entries(resources)
    .map(([key, amount]) => `${key}: ${key === 'memory' ? `${Math.round(amount / 2 ** 20)} MiB` : amount}`)
    .join(', ')}}`;
}

interface Group {
  readonly template: PodTemplateSpec;
  readonly rayStartParams?: StringMap;
}

/** Compared by CPU and GPU alone; what cannot be told counts as fitting. */
function fits(bundle: Readonly<Record<string, number>>, { template, rayStartParams = {} }: Group): boolean {
  const { limits, requests } = template.spec?.containers[0]?.resources ?? {};
  const amounts = { ...requests, ...limits };
  const gpus = Object.entries(amounts)
    .filter(([key]) => isGpuResourceKey(key))
    .reduce((sum, [, value]) => sum + numberIn(value), 0);
  const cpu = rayStartParams['num-cpus'] ?? amounts['cpu'];
  const hasCpu = cpu === undefined || (bundle['CPU'] ?? 0) <= numberIn(cpu);
  return hasCpu && (bundle['GPU'] ?? 0) <= numberIn(rayStartParams['num-gpus'] ?? gpus);
}

function numberIn(value: string | number): number {
  const amount = parseQuantity(value);
  return amount.ok ? Number(amount.value.nanos) / 1e9 : 0;
}
