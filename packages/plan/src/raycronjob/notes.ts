import { RayCronJobEventReason as Reason } from '@manta/api';
import { type EventAction, normal, type PlannedEvent, warning } from '../plan.ts';
import { timestamp } from '../raycluster/conditions.ts';
import type { ObservedRayCronJob } from './observed.ts';
import { fullName, type Subject } from './subject.ts';
import { MAX_MISSED } from './ticks.ts';

export const SUSPENDED = tell(
  normal(Reason.SuspendedRayCronJob, 'Suspend', 'RayCronJob suspended, no new RayJobs will be created'),
);

export const ALREADY_ACTIVE = tell(
  normal(
    Reason.JobAlreadyActive,
    'Create',
    'Not starting job because prior execution is running and concurrency policy is Forbid',
  ),
);

/** Nothing will be made of this until the user changes it. */
export function refusal(observed: Pick<ObservedRayCronJob, 'cronJob'>, message: string): EventAction {
  const note = `${fullName(observed, observed.cronJob.metadata?.name ?? '')}: ${message}`;
  return tell(warning(Reason.InvalidRayCronJobSpec, 'Validate', note));
}

/** Tells of times that no RayJob will be made for. */
export function notesOn(subject: Subject): readonly EventAction[] {
  const { ticks, missed, spec, servedUntil } = subject;
  if (ticks.next === undefined)
    return [refusal(subject, `the schedule ${spec.schedule} has no time within the next five years`)];
  if (missed !== undefined)
    return [warn(Reason.MissSchedule, `Missed scheduled time to start a job: ${timestamp(missed)}`)];
  if (!ticks.hasMore) return [];
  const advice = 'Check that the operator was running, and whether spec.startingDeadlineSeconds would help';
  const since = `Too many missed start times since ${timestamp(servedUntil)}`;
  return [warn(Reason.TooManyMissedTimes, `${since}: only the last ${MAX_MISSED} are made up for. ${advice}`)];
}

function warn(reason: Reason, note: string): EventAction {
  return tell(warning(reason, 'Create', note));
}

function tell(event: PlannedEvent): EventAction {
  return { type: 'event', event };
}
