import { JobDeploymentStatus } from '@manta/api';
import { msToPreRunningDeadline, pastPreRunningDeadline } from './deadlines.ts';
import { move, type Step, stay } from './step.ts';
import type { Subject } from './subject.ts';

/** The cluster is there; the user submits a job by hand and says which. */
export function waitForUser(subject: Subject): Step {
  const late = pastPreRunningDeadline(subject);
  if (late !== undefined) return late;
  const { jobId } = subject.spec;
  if (!jobId) return stay([], msToPreRunningDeadline(subject));
  return move(subject, { jobId, jobDeploymentStatus: JobDeploymentStatus.Running });
}
