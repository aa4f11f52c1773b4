/** The HeadPodReady condition, as far as the head pod determines it. */
import type { ContainerStatus, Pod } from './core.gen.ts';
import { type Loose, listOf, textOf } from './loose.ts';
import type { ConditionStatus } from './meta.ts';
import { RayClusterConditionReason } from './raycluster.ts';

/** Status, reason and message of a condition that has yet to get its times. */
export interface ConditionVerdict {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/** Says what the pod's own Ready condition says; where containers aren't ready, why the first of them isn't. */
export function headPodReady(pod: Loose<Pod>): ConditionVerdict {
  const ready = listOf(pod?.status?.conditions).find((condition) => condition?.type === 'Ready');
  const status = conditionStatus(ready?.status);
  const reason = textOf(ready?.reason);
  const message = textOf(ready?.message);
  if (reason === 'ContainersNotReady') {
    const culprit = listOf(pod?.status?.containerStatuses).find((container) => stoppedState(container) !== undefined);
    if (culprit) return blame(culprit, status, message);
  }
  const fallback =
    status === 'True' ? RayClusterConditionReason.HeadPodRunningAndReady : RayClusterConditionReason.Unknown;
  return { status, reason: reason || fallback, message };
}

function blame(container: Loose<ContainerStatus>, status: ConditionStatus, message: string): ConditionVerdict {
  const state = stoppedState(container);
  const detail = `${textOf(container?.name)}: ${textOf(state?.message)}`;
  // A condition's reason may not be empty, a container's may.
  const reason = textOf(state?.reason) || RayClusterConditionReason.Unknown;
  return { status, reason, message: message === '' ? detail : `${message}; ${detail}` };
}

function stoppedState(container: Loose<ContainerStatus>) {
  return container?.state?.waiting ?? container?.state?.terminated ?? undefined;
}

function conditionStatus(status: unknown): ConditionStatus {
  return status === 'True' || status === 'Unknown' ? status : 'False';
}
