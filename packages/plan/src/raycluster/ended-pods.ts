import type { OperatorEnv } from '@manta/api';
import type { PodRecord } from './observed.ts';

/** The installation's setting for pods that have ended. */
export type EndedPodRule = Pick<OperatorEnv, 'deletesByRestartPolicy'>;

/**
 * Why the operator has to delete a pod: it has ended for good, or its Ray container has ended and may not come back. A pod whose policy
 * lets the container restart is left to the kubelet, and so is one that cannot start: replacing it would change nothing. A pod that is
 * being deleted gives no reason: Ray exits with 1 on SIGTERM, so every such pod passes through `Failed`. Installations may go by
 * the restart policy alone, as early releases did: with Always nothing is deleted, with any other the end of Ray is enough.
 */
export function reasonToDelete(pod: PodRecord, { deletesByRestartPolicy }: EndedPodRule): string | undefined {
  const { name, nodeType, phase, restartPolicy, rayTerminated, isTerminating } = pod;
  if (isTerminating) return undefined;
  if (deletesByRestartPolicy && restartPolicy === 'Always') return undefined;
  if (phase === 'Failed' || phase === 'Succeeded') {
    return `The ${nodeType} Pod ${name} status is ${phase} which is a terminal state. KubeRay will delete the Pod and create new Pods in the next reconciliation if necessary.`;
  }
  if (phase !== 'Running' || rayTerminated === undefined) return undefined;
  const ended = `The Pod status of the ${nodeType} Pod ${name} is Running, and the Ray container terminated status is ${rayTerminated}.`;
  if (restartPolicy === 'Never') {
    return `${ended} The container is unable to restart due to its restart policy Never, so KubeRay will delete it.`;
  }
  if (!deletesByRestartPolicy) return undefined;
  return `${ended} Its restart policy ${restartPolicy} is not Always, so KubeRay will delete it.`;
}

/** The state of a pod in the words of an event. */
export function describeState({ phase, restartPolicy, rayTerminated }: PodRecord): string {
  return `Pod status: ${phase}; Pod restart policy: ${restartPolicy}; Ray container terminated status: ${rayTerminated ?? 'nil'}`;
}
