/** Why a pod does not come up, as far as the pod itself tells. */
import type { ContainerStatus, Pod } from './core.gen.ts';
import { type Loose, listOf, textOf } from './loose.ts';

const PULLING: readonly string[] = ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'];
const STARTING: readonly string[] = [
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];

/** One sentence's worth of what keeps a pod from running; undefined when nothing is known to. */
export function podTrouble(pod: Loose<Pod>): string | undefined {
  const scheduled = listOf(pod?.status?.conditions).find((condition) => condition?.type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return `cannot be scheduled: ${textOf(scheduled.message)}`;
  const statuses = [...listOf(pod?.status?.initContainerStatuses), ...listOf(pod?.status?.containerStatuses)];
  for (const status of statuses) {
    const trouble = containerTrouble(status);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

/** The two reasons for a failing pull take turns; told alike, they do not look like news. */
function containerTrouble(status: Loose<ContainerStatus>): string | undefined {
  const reason = textOf(status?.state?.waiting?.reason);
  const message = textOf(status?.state?.waiting?.message);
  const container = `container ${textOf(status?.name)}`;
  if (PULLING.includes(reason)) return `${container}: image ${textOf(status?.image)} cannot be pulled`;
  if (!STARTING.includes(reason)) return undefined;
  const exitCode = status?.lastState?.terminated?.exitCode;
  // The kubelet's message has the delay, which grows each time, and the pod's uid.
  if (reason === 'CrashLoopBackOff' && typeof exitCode === 'number')
    return `${container}: ${reason}: ended with exit code ${exitCode}`;
  return `${container}: ${reason}${message === '' ? '' : `: ${message}`}`;
}
