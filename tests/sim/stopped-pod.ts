import type { Pod, PodStatus } from '@manta/api';

/** How long after its last container has ended the kubelet removes a pod. */
export const REMOVE_MS = [0, 50, 1_000] as const;

/**
 * The status that a kubelet reports of a pod whose containers have ended on SIGTERM, before it removes the pod. Ray exits with 1, so the
 * phase is `Failed`. A pod that never ran, or has ended already, is removed as it is.
 */
export function stoppedStatus({ spec, status }: Pod, nowMs: number): PodStatus | undefined {
  if (status?.phase !== 'Running') return undefined;
  const finishedAt = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const terminated = { exitCode: 1, reason: 'Error', finishedAt };
  const known = status.containerStatuses ?? [];
  const containerStatuses = (spec?.containers ?? []).map(({ name }) => {
    const before = known.find((each) => each.name === name);
    const state = before?.state?.terminated === undefined ? { terminated } : before.state;
    return { restartCount: 0, image: '', imageID: '', ...before, name, ready: false, state };
  });
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'False', reason: 'PodFailed' }));
  return { ...status, phase: 'Failed', conditions, containerStatuses };
}
