import { headInStatus } from '../raycluster/head-name.ts';
import type { Subject } from './subject.ts';

/** How often Ray was restarted within the head pod that the cluster has now. */
export function headRestarts({ heads, cluster }: Subject): number {
  const current = headInStatus(cluster?.status);
  return heads.find(({ name }) => name === current)?.head?.restarts ?? 0;
}

/** Where a job would go: to Ray as it was when the job was to go there, or was last seen; to another life of Ray; or nobody can tell yet. */
export function placeOf(subject: Subject): 'as before' | 'another head' | 'unknown' {
  const { status, cluster, heads } = subject;
  const before = status.rayClusterStatus?.head?.podName;
  const current = headInStatus(cluster?.status);
  if (before !== undefined && before !== current) return current === undefined ? 'unknown' : 'another head';
  // Our view of the cluster may be behind that of its pods: who answers is then no longer the head that it names.
  if (before !== undefined && !heads.some(({ name }) => name === before)) return 'unknown';
  const last = status.attempts?.at(-1);
  return last !== undefined && headRestarts(subject) > (last.headRestarts ?? 0) ? 'another head' : 'as before';
}

/**
 * Whether Ray took the job and, asked later, knows nothing of it: then it ran, or might have, whatever pods look like. Only where attempts
 * are kept can it be told from the submission that follows.
 */
export function isForgotten({ status, submission, now }: Subject): boolean {
  const last = status.attempts?.at(-1);
  if (submission?.state !== 'done' || last === undefined) return false;
  return submission.at + FORGOTTEN_MS <= now && submission.at >= Date.parse(last.startTime);
}

/** Ray may need a moment to find what it has just taken. */
const FORGOTTEN_MS = 3000;
