import { JobDeploymentStatus } from '@manta/api';
import { planMissingCluster } from './cluster.ts';
import { msToPreRunningDeadline, pastPreRunningDeadline } from './deadlines.ts';
import { move, type Step, stay } from './step.ts';
import type { Subject } from './subject.ts';

/** The cluster is there; the user submits a job by hand and says which. */
export function waitForUser(subject: Subject): Step {
  const late = pastPreRunningDeadline(subject);
  if (late !== undefined) return late;
  const { spec, cluster } = subject;
  const { jobId } = spec;
  // A cluster that somebody has deleted comes back: without it there is nothing to submit to.
  if (!jobId) return stay(cluster === undefined ? planMissingCluster(subject) : [], msToPreRunningDeadline(subject));
  return move(subject, { jobId, jobDeploymentStatus: JobDeploymentStatus.Running });
}
