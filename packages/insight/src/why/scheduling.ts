import { compareQuantities, formatQuantity, parseQuantity, type Pod, type PodCondition } from '@manta/api';
import { podAmounts } from '@manta/plan';
import { ageMs, find, refOf, refText } from '../lookup.ts';
import { itemsOf, type World } from '../world.ts';
import { brief, type Cause, type Detector } from './cause.ts';
import type { CauseCode } from './codes.ts';
import { containerStatuses } from './container-statuses.ts';

/** After this long without a scheduler's word, none is at work. */
const SCHEDULER_MS = 15_000;

/** Why no node has taken a pod. */
export const unscheduled: Detector<Pod> = (pod, world) => {
  if ((pod.spec?.nodeName ?? '') !== '') return undefined;
  const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (condition?.status === 'True') return undefined;
  if (condition === undefined) return withoutScheduler(pod, world);
  if (condition.reason === 'SchedulingGated') return gated(pod, condition);
  if (condition.reason !== 'Unschedulable') return undefined;
  const message = condition.message ?? '';
  return (
    unboundClaim(pod, condition, world) ??
    noNodes(pod, condition) ??
    tooLittle(pod, condition, world) ??
    misfit(pod, condition, message)
  );
};

function found(pod: Pod, condition: PodCondition, code: CauseCode, sentence: string, action: string): Cause {
  const object = refOf('Pod', pod);
  const text = condition.message ?? condition.reason ?? '';
  return {
    code,
    object,
    sentence,
    action,
    evidence: [{ object, source: 'status.conditions[PodScheduled].message', text }],
  };
}

function withoutScheduler(pod: Pod, world: World): Cause | undefined {
  if (pod.status?.phase !== 'Pending' || containerStatuses(pod).length > 0 || ageMs(world, pod) < SCHEDULER_MS)
    return undefined;
  const name = pod.spec?.schedulerName ?? 'default-scheduler';
  const object = refOf('Pod', pod);
  return {
    code: 'NoScheduler',
    object,
    sentence: `scheduler ${name} has not looked at ${refText(object)}`,
    evidence: [{ object, source: 'spec.schedulerName', text: name }],
    action: `Check that the scheduler ${name} is installed and runs, or remove schedulerName from the pod template.`,
  };
}

function gated(pod: Pod, condition: PodCondition): Cause {
  const gates = (pod.spec?.schedulingGates ?? []).map(({ name }) => name).join(', ');
  const sentence = `${refText(refOf('Pod', pod))} waits for its scheduling gate ${gates}`;
  return found(
    pod,
    condition,
    'SchedulingGated',
    sentence,
    'Find the controller that owns the gate: it removes the gate when the pod may be scheduled.',
  );
}

function unboundClaim(pod: Pod, condition: PodCondition, world: World): Cause | undefined {
  const message = condition.message ?? '';
  if (!/persistentvolumeclaim|volume node affinity|volume\(s\)/i.test(message)) return undefined;
  const named = /persistentvolumeclaim "([^"]+)" not found/.exec(message)?.[1];
  const mounted = (pod.spec?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  );
  const unbound = mounted.find((name) => find(world.claims, pod.metadata?.namespace, name)?.status?.phase !== 'Bound');
  const claim = named ?? unbound ?? mounted[0] ?? '';
  const state = named === undefined ? 'is not bound to a volume' : 'does not exist';
  const sentence = `PersistentVolumeClaim ${claim} of ${refText(refOf('Pod', pod))} ${state}`;
  const action =
    named === undefined
      ? `Look at kubectl describe pvc ${claim}: its StorageClass may not exist or may not provision volumes.`
      : `Create PersistentVolumeClaim ${claim} in namespace ${pod.metadata?.namespace}.`;
  return found(pod, condition, 'VolumeNotBound', sentence, action);
}

function noNodes(pod: Pod, condition: PodCondition): Cause | undefined {
  if (!/^(no nodes available|0\/0 nodes)/.test(condition.message ?? '')) return undefined;
  return found(
    pod,
    condition,
    'NoNodes',
    'the cluster has no node that takes pods',
    'Add a node, or wait for the cluster autoscaler to add one.',
  );
}

function tooLittle(pod: Pod, condition: PodCondition, world: World): Cause | undefined {
  const resource =
    /Insufficient ([\w./-]+\w)/.exec(condition.message ?? '')?.[1] ??
    (/Too many pods/.test(condition.message ?? '') ? 'pods' : undefined);
  if (resource === undefined) return undefined;
  const name = refText(refOf('Pod', pod));
  if (resource === 'pods')
    return found(
      pod,
      condition,
      'InsufficientResources',
      `the nodes already run as many pods as they may, so ${name} finds no place`,
      'Add nodes, or delete pods that are not needed.',
    );
  const asked = pod.spec === undefined ? undefined : podAmounts(pod.spec).get(resource);
  const wants = asked === undefined ? `more ${resource}` : `${formatQuantity(asked)} ${resource}`;
  const largest = largestNode(world, resource);
  if (asked !== undefined && largest !== undefined && compareQuantities(asked, largest.amount) > 0) {
    const sentence = `${name} requests ${wants}, and the largest node (${largest.name}) has ${formatQuantity(largest.amount)} in total`;
    return found(
      pod,
      condition,
      'PodTooLarge',
      sentence,
      `Lower the ${resource} request of the pod template, or add larger nodes.`,
    );
  }
  const sentence = `no node has ${wants} free for ${name}${largest === undefined ? '' : ` (largest node: ${largest.name} with ${formatQuantity(largest.amount)} in total)`}`;
  return found(
    pod,
    condition,
    'InsufficientResources',
    sentence,
    `Add nodes with ${resource}, lower the request, or delete pods that hold it.`,
  );
}

function largestNode(world: World, resource: string) {
  const sized = itemsOf(world.nodes).flatMap(({ metadata, status }) => {
    const amount = parseQuantity(status?.allocatable?.[resource] ?? '0');
    return amount.ok ? [{ name: metadata?.name ?? '', amount: amount.value }] : [];
  });
  return sized.toSorted((a, b) => compareQuantities(b.amount, a.amount))[0];
}

function misfit(pod: Pod, condition: PodCondition, message: string): Cause {
  const name = refText(refOf('Pod', pod));
  if (/node affinity|node selector|affinity\/selector/.test(message)) {
    const labels = Object.entries(pod.spec?.nodeSelector ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(', ');
    return found(
      pod,
      condition,
      'NodeSelectorMismatch',
      `no node matches ${labels === '' ? 'the node affinity' : `the node selector ${labels}`} of ${name}`,
      'Label a node accordingly, or correct nodeSelector and affinity in the pod template.',
    );
  }
  if (/untolerated taint|had taint/.test(message)) {
    const taint = /taint(?:\(s\))? \{([^}]+)\}/.exec(message)?.[1]?.trim() ?? '';
    return found(
      pod,
      condition,
      'UntoleratedTaint',
      `${name} does not tolerate the taint${taint === '' ? 's' : ` ${taint}`} of the nodes`,
      'Add a toleration for it to the pod template, or remove the taint from a node.',
    );
  }
  if (/were unschedulable/.test(message))
    return found(
      pod,
      condition,
      'NodesCordoned',
      `the nodes that could run ${name} are cordoned`,
      'Uncordon a node (kubectl uncordon NODE), or add one.',
    );
  return found(
    pod,
    condition,
    'Unschedulable',
    `the scheduler finds no node for ${name}: ${brief(message)}`,
    'Change the pod template or the nodes so that one fits.',
  );
}
