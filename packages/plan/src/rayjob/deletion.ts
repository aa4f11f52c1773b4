import { Finalizer } from '@manta/api';
import { patchSelf } from '../ownership.ts';
import type { Action } from '../plan.ts';
import { type Step, stay } from './step.ts';
import { stopJob, submittersHead } from './stop.ts';
import type { Subject } from './subject.ts';
import { msFromThen } from './times.ts';

/** How long a deletion waits for a head that does not answer, and for a token that is missing. */
const ANSWER_MS = 10_000;
const TOKEN_MS = 30_000;
const CLOCKS_DIFFER_MS = 60_000;

/** Stops a job that may still run, then lets the object go, within a bounded time whatever happens. */
export function letGo(subject: Subject): Step {
  const { job, status, answer } = subject;
  if (!job.metadata?.finalizers?.includes(Finalizer.RayJob)) return stay();
  const stop = stopJob(subject, status.dashboardURL ?? submittersHead(subject));
  const leftMs = stop.length === 0 ? 0 : msToWait(subject);
  if (leftMs <= 0) return stay(removeFinalizer(subject));
  return answer.kind === 'unreachable' ? stay([], Math.min(leftMs, 1000)) : stay(stop, leftMs);
}

/** A head that can be asked is asked, however long ago the job was deleted by the server's clock, which may differ from ours. */
function msToWait({ job, answer, stopping, now }: Subject): number {
  if (stopping?.state === 'done' || stopping?.state === 'failed') return 0;
  if (stopping?.state === 'running') return msFromThen(stopping.since, ANSWER_MS, now);
  if (answer.kind !== 'unreachable') return ANSWER_MS;
  const deletedAt = Date.parse(job.metadata?.deletionTimestamp ?? '');
  return deletedAt - now > CLOCKS_DIFFER_MS ? 0 : deletedAt + TOKEN_MS - now;
}

function removeFinalizer({ job }: Subject): readonly Action[] {
  const { finalizers = [], resourceVersion } = job.metadata ?? {};
  const remaining = finalizers.filter((finalizer) => finalizer !== Finalizer.RayJob);
  return [patchSelf('RayJob', job, { metadata: { resourceVersion, finalizers: remaining } })];
}
