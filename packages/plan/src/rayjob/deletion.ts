import { Finalizer } from '@manta/api';
import type { Action } from '../plan.ts';
import { type Step, stay } from './step.ts';
import { stopJob } from './stop.ts';
import type { Subject } from './subject.ts';

/** How long a deletion waits for a head that does not answer, and for a token that is missing. */
const ANSWER_MS = 10_000;
const TOKEN_MS = 30_000;
const CLOCKS_DIFFER_MS = 60_000;

/** Stops a job that may still run, then lets the object go, within a bounded time whatever happens. */
export function letGo(subject: Subject): Step {
  const { job, answer, stopping, now } = subject;
  if (!job.metadata?.finalizers?.includes(Finalizer.RayJob)) return stay();
  const stop = stopJob(subject);
  const isSettled = stopping?.state === 'done' || stopping?.state === 'failed';
  const deletedAt = Date.parse(job.metadata.deletionTimestamp ?? '');
  const waitMs = answer.kind === 'unreachable' ? TOKEN_MS : ANSWER_MS;
  // The server's clock tells when it was deleted; where ours is far behind, nobody waits for it to catch up.
  const leftMs = deletedAt - now > CLOCKS_DIFFER_MS ? 0 : deletedAt + waitMs - now;
  if (stop.length === 0 || isSettled || leftMs <= 0) return stay(removeFinalizer(subject));
  return answer.kind === 'unreachable' ? stay([], Math.min(leftMs, 1000)) : stay(stop, leftMs);
}

function removeFinalizer({ job, name }: Subject): readonly Action[] {
  const { finalizers = [], resourceVersion } = job.metadata ?? {};
  const remaining = finalizers.filter((finalizer) => finalizer !== Finalizer.RayJob);
  return [{ type: 'patch', kind: 'RayJob', name, patch: { metadata: { resourceVersion, finalizers: remaining } } }];
}
