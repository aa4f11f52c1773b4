import { Annotation, parseGoInt, type RayCluster } from '@manta/api';
import type { BuildContext } from './context.ts';
import { mapRayContainer, type PodDraft, rayContainerOf, withSpec } from './pod-draft.ts';
import { bash } from './shell.ts';

/** Time for Ray to stop its processes after the drain deadline. */
const MARGIN_SECONDS = 15;

/**
 * Drains a worker that is deleted or evicted: a preStop hook asks Ray to schedule nothing new on the node and waits until its work ends or
 * the deadline passes. A preStop hook or grace period in the user's template is not changed.
 */
export function withDrain(draft: PodDraft, cluster: RayCluster, context: BuildContext): PodDraft {
  const wished = drainSeconds(cluster, context);
  if (wished <= 0 || rayContainerOf(draft.spec).lifecycle?.preStop !== undefined) return draft;
  const graceSeconds = draft.spec.terminationGracePeriodSeconds ?? wished + MARGIN_SECONDS;
  const seconds = Math.min(wished, graceSeconds - MARGIN_SECONDS);
  if (seconds <= 0) return draft;
  const preStop = { exec: { command: [...bash(context), drainScript(seconds)] } };
  const drained = mapRayContainer(draft, (ray) => ({ ...ray, lifecycle: { ...ray.lifecycle, preStop } }));
  return withSpec(drained, { terminationGracePeriodSeconds: graceSeconds });
}

/** The cluster's annotation, else the installation's setting; an invalid value counts as unset. */
function drainSeconds({ metadata }: RayCluster, { env }: BuildContext): number {
  const said = parseGoInt(metadata?.annotations?.[Annotation.WorkerDrainSeconds] ?? '');
  return said.ok ? said.value : env.workerDrainSeconds;
}

/** Returns when Ray has left the node, or at once if Ray cannot be reached. */
function drainScript(seconds: number): string {
  const drain = `timeout 30 ray drain-node --address "$RAY_ADDRESS" --reason DRAIN_NODE_REASON_PREEMPTION --reason-message "The Pod is being deleted" --deadline-remaining-seconds ${seconds}`;
  return `${drain} || exit 0; end=$((SECONDS + ${seconds})); while [ $SECONDS -lt $end ] && grep -qsx raylet /proc/[0-9]*/comm; do sleep 1; done`;
}
