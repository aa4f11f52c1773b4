import { Annotation, parseGoInt, type RayCluster } from '@manta/api';
import type { BuildContext } from './context.ts';
import { mapRayContainer, type PodDraft, rayContainerOf, withSpec } from './pod-draft.ts';
import { bash } from './shell.ts';

/** What Ray gets to end its processes once its work is over or its time is up. */
const MARGIN_SECONDS = 15;

/**
 * Lets a worker that is deleted or evicted finish its work: Ray is told that the node goes, gives it nothing new, and has so many seconds
 * for the rest. What the user's own template says about its end is left as it is.
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

/** The cluster's own wish, else the installation's; nonsense counts as not said. */
function drainSeconds({ metadata }: RayCluster, { env }: BuildContext): number {
  const said = parseGoInt(metadata?.annotations?.[Annotation.WorkerDrainSeconds] ?? '');
  return said.ok ? said.value : env.workerDrainSeconds;
}

/** Ends as soon as Ray has left the node; a Ray that cannot be reached has nothing to finish. */
function drainScript(seconds: number): string {
  const drain = `timeout 30 ray drain-node --address "$RAY_ADDRESS" --reason DRAIN_NODE_REASON_PREEMPTION --reason-message "The Pod is being deleted" --deadline-remaining-seconds ${seconds}`;
  return `${drain} || exit 0; end=$((SECONDS + ${seconds})); while [ $SECONDS -lt $end ] && grep -qsx raylet /proc/[0-9]*/comm; do sleep 1; done`;
}
