import type { OperatorEnv } from '@manta/api';
import type { PodRecord } from './observed.ts';

/** The installation's setting for pods that have ended. */
export type EndedPodRule = Pick<OperatorEnv, 'deletesByRestartPolicy'>;

/** Reasons to delete a pod: it has ended for good, or its Ray container has ended and may not restart. */
const DELETE = {
  ended: ({ nodeType, name, phase }: PodRecord) =>
    `The ${nodeType} Pod ${name} status is ${phase} which is a terminal state. KubeRay will delete the Pod and create new Pods in the next reconciliation if necessary.`,
  rayMayNotRestart: (pod: PodRecord) =>
    `${rayEnded(pod)} The container is unable to restart due to its restart policy Never, so KubeRay will delete it.`,
  rayEndedByPolicy: (pod: PodRecord) =>
    `${rayEnded(pod)} Its restart policy ${pod.restartPolicy} is not Always, so KubeRay will delete it.`,
};

/** Reasons to keep a pod. */
const KEEP = {
  /** Ray exits with 1 on SIGTERM, so every pod that is being deleted passes through `Failed`. */
  isTerminating: ({ nodeType, name }: PodRecord) => `The ${nodeType} Pod ${name} is being deleted already.`,
  kubeletRestarts: ({ nodeType, name }: PodRecord) =>
    `The restart policy of the ${nodeType} Pod ${name} is Always: the kubelet restarts its containers.`,
  /** A pod that cannot start is kept: replacing it would change nothing. */
  notStarted: ({ nodeType, name, phase }: PodRecord) => `The ${nodeType} Pod ${name} has not started: it is ${phase}.`,
  rayRuns: ({ nodeType, name }: PodRecord) => `The Ray container of the ${nodeType} Pod ${name} has not terminated.`,
  rayMayRestart: (pod: PodRecord) =>
    `${rayEnded(pod)} The kubelet restarts the container by its restart policy ${pod.restartPolicy}.`,
};

const REASONS = { ...DELETE, ...KEEP };

type Verdict = keyof typeof REASONS;

/**
 * Installations may decide by the restart policy alone, like early releases of KubeRay: with Always no pod is deleted, with any other policy
 * the end of Ray is enough.
 */
function judge(pod: PodRecord, { deletesByRestartPolicy }: EndedPodRule): Verdict {
  const { phase, restartPolicy, rayTerminated, isTerminating } = pod;
  if (isTerminating) return 'isTerminating';
  if (deletesByRestartPolicy && restartPolicy === 'Always') return 'kubeletRestarts';
  if (phase === 'Failed' || phase === 'Succeeded') return 'ended';
  if (phase !== 'Running') return 'notStarted';
  if (rayTerminated === undefined) return 'rayRuns';
  if (restartPolicy === 'Never') return 'rayMayNotRestart';
  return deletesByRestartPolicy ? 'rayEndedByPolicy' : 'rayMayRestart';
}

function rayEnded({ nodeType, name, rayTerminated }: PodRecord): string {
  return `The Pod status of the ${nodeType} Pod ${name} is Running, and the Ray container terminated status is ${rayTerminated}.`;
}

/** Why the operator has to delete a pod; undefined if it keeps the pod. */
export function reasonToDelete(pod: PodRecord, rule: EndedPodRule): string | undefined {
  const verdict = judge(pod, rule);
  return verdict in DELETE ? textOf(verdict, pod) : undefined;
}

/** The decision about a pod with its reason and what it is based on, for the log. */
export function explainPod(pod: PodRecord, rule: EndedPodRule): Readonly<Record<string, unknown>> {
  const { name, phase, restartPolicy, rayTerminated } = pod;
  const verdict = judge(pod, rule);
  const shouldDelete = verdict in DELETE;
  return { pod: name, shouldDelete, reason: textOf(verdict, pod), phase, restartPolicy, rayTerminated };
}

function textOf(verdict: Verdict, pod: PodRecord): string {
  return REASONS[verdict](pod);
}

/** The state of a pod in the words of an event. */
export function describeState({ phase, restartPolicy, rayTerminated }: PodRecord): string {
  return `Pod status: ${phase}; Pod restart policy: ${restartPolicy}; Ray container terminated status: ${rayTerminated ?? 'nil'}`;
}
