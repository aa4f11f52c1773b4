import type { Pod } from '@manta/api';
import { find, refOf, refText, timeMs } from '../lookup.ts';
import type { Cause, Detector } from './cause.ts';
import { brief } from './cause.ts';
import type { CauseCode } from './codes.ts';

/** After its grace period a pod that still exists is stuck. */
const TERMINATING_SLACK_MS = 60_000;

/** What a node did to a pod: rejected, evicted, preempted or lost it. */
export const nodeTrouble: Detector<Pod> = (pod, world) => {
  const object = refOf('Pod', pod);
  const { reason, message, phase, conditions = [] } = pod.status ?? {};
  const at = (source: string, text: string) => [{ object, source, text }];
  const found = (code: CauseCode, sentence: string, action: string, evidence: Cause['evidence']): Cause => ({
    code,
    object,
    sentence,
    action,
    evidence,
  });
  const disrupted = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  if (reason === 'Preempted' || disrupted?.reason === 'PreemptionByScheduler')
    return found(
      'Preempted',
      `${refText(object)} was removed to make room for a pod with a higher priority`,
      'Give the pod template a higher priorityClassName, or add nodes.',
      at('status.conditions[DisruptionTarget]', disrupted?.message ?? message ?? ''),
    );
  if (reason === 'Evicted')
    return found(
      'Evicted',
      `the kubelet evicted ${refText(object)}: ${brief(message)}`,
      'Request as much memory and ephemeral storage as the pod uses, so that its node is not overcommitted.',
      at('status.message', message ?? ''),
    );
  if (
    phase === 'Failed' &&
    reason !== undefined &&
    /AdmissionError|OutOf|NodeAffinity|NodeShutdown|Terminated$/.test(reason)
  )
    return found(
      'PodRejected',
      `the node of ${refText(object)} refused it: ${reason}: ${brief(message)}`,
      'Look at the node (kubectl describe node); the operator replaces the pod.',
      at('status.reason', reason),
    );
  const nodeName = pod.spec?.nodeName ?? '';
  const node = nodeName === '' ? undefined : find(world.nodes, undefined, nodeName);
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready !== undefined && ready.status !== 'True')
    return found(
      'NodeLost',
      `node ${nodeName} of ${refText(object)} is not ready: ${brief(ready.message) || ready.reason}`,
      `Repair or delete node ${nodeName}; its pods are then replaced.`,
      [
        {
          object: { kind: 'Node', name: nodeName },
          source: 'status.conditions[Ready]',
          text: ready.message ?? ready.status,
        },
      ],
    );
  const deletedAt = timeMs(pod.metadata?.deletionTimestamp);
  if (deletedAt === undefined || world.now < deletedAt + TERMINATING_SLACK_MS) return undefined;
  const finalizers = pod.metadata?.finalizers ?? [];
  const why =
    finalizers.length === 0
      ? 'its node has not confirmed that it ended'
      : `finalizer ${finalizers.join(', ')} keeps it`;
  return found(
    'StuckTerminating',
    `${refText(object)} was deleted and still exists: ${why}`,
    'Check its node and the owner of its finalizers; the last resort is kubectl delete pod --force.',
    at('metadata.deletionTimestamp', pod.metadata?.deletionTimestamp ?? ''),
  );
};
