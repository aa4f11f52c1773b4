import { Annotation } from '@manta/api';
import { patchSelf } from '../ownership.ts';
import { timestamp } from '../shared/timestamp.ts';
import { withLoss } from './attempts.ts';
import { headRestarts } from './head-session.ts';
import { type Changes, move, type Step } from './step.ts';
import type { Subject } from './subject.ts';

/**
 * The job runs once more under its id, or may do so. That is written down first: as another attempt, or, where the server's CRD has no
 * room for attempts, as an annotation.
 */
export function tellOfAnotherRun(subject: Subject, why: string, fields: Changes): Step {
  const { status, job, now } = subject;
  const attempts = withLoss(status, now, headRestarts(subject));
  const patch = { metadata: { annotations: { [Annotation.LastAttempt]: `${timestamp(now)} ${why}` } } };
  return move(
    subject,
    { ...fields, message: why, attempts },
    attempts === undefined ? [patchSelf('RayJob', job, patch)] : [],
  );
}
