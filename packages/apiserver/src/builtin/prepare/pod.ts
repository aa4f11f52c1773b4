import { ownValue } from '@manta/base';
import { isZeroQuantity, parseQuantity } from '@manta/api';
import type { JsonObject } from '../../object/json.ts';
import { mapPart, part, parts, text, withDefaults } from '../read.ts';
import { keepStatus } from './keep-status.ts';
import { preparePodResize } from './pod-resize.ts';

/** What the server decides about a new pod: its status, and what admission adds to every pod. */
export function preparePod(object: JsonObject): JsonObject {
  const admitted = mapPart(object, 'spec', (spec) => tolerate(prioritise(spec)));
  const isGated = parts(part(admitted, 'spec'), 'schedulingGates').length > 0;
  const status: JsonObject = {
    phase: 'Pending',
    ...(isGated ? { conditions: [gatedCondition] } : {}),
    qosClass: qosClass(part(admitted, 'spec') ?? {}),
  };
  return { ...admitted, status };
}

/** An update of a pod keeps its status, and what admission adds to every pod. */
export function preparePodUpdate(object: JsonObject, old: JsonObject, subresource: string): JsonObject {
  if (subresource === 'resize') return preparePodResize(object, old);
  const kept = keepStatus(object, old, subresource);
  return subresource === '' ? mapPart(kept, 'spec', tolerate) : kept;
}

const gatedCondition: JsonObject = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
  observedGeneration: 1,
};

/** Pods without a priority class have the lowest priority of all. */
function prioritise(spec: JsonObject): JsonObject {
  if (text(spec, 'priorityClassName') !== '') return spec;
  return withDefaults(spec, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
}

/** Default tolerations: pods stay five minutes on a node that is not ready or unreachable. */
function tolerate(spec: JsonObject): JsonObject {
  const given = parts(spec, 'tolerations');
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
    .filter((key) => !given.some((toleration) => covers(toleration, key)))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return added.length === 0 ? spec : { ...spec, tolerations: [...given, ...added] };
}

function covers(toleration: JsonObject, key: string): boolean {
  const effect = text(toleration, 'effect');
  const covered = text(toleration, 'key');
  return (covered === key || covered === '') && (effect === 'NoExecute' || effect === '');
}

const counted = ['cpu', 'memory'] as const;

/** How much of its resources a pod is promised. */
export function qosClass(spec: JsonObject): string {
  const whole = part(spec, 'resources');
  const all =
    whole === undefined
      ? [...parts(spec, 'containers'), ...parts(spec, 'initContainers')].map((each) => part(each, 'resources'))
      : [whole];
  const amounts = all.map((resources) => ({
    requests: nonZero(resources, 'requests'),
    limits: nonZero(resources, 'limits'),
  }));
  if (amounts.every(({ requests, limits }) => requests.size === 0 && limits.size === 0)) return 'BestEffort';
  const isGuaranteed = amounts.every(({ requests, limits }) =>
    counted.every((name) => limits.has(name) && requests.get(name) === limits.get(name)),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function nonZero(resources: JsonObject | undefined, key: string): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>();
  for (const name of counted) {
    const value = ownValue(part(resources, key), name);
    const parsed = typeof value === 'string' ? parseQuantity(value) : undefined;
    if (parsed?.ok === true && !isZeroQuantity(parsed.value)) found.set(name, parsed.value.nanos);
  }
  return found;
}
