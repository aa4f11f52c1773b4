import { RayCronJobEventReason as Reason, timestamp } from '@manta/api';
import { type EventAction, normal, type PlannedEvent, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ObservedRayCronJob } from './observed.ts';
import type { CronJobState } from './state.ts';
import { MAX_MISSED } from './ticks.ts';

export const SUSPENDED = eventAction(
  normal(Reason.SuspendedRayCronJob, 'Suspend', 'RayCronJob suspended, no new RayJobs will be created'),
);

export const ALREADY_ACTIVE = eventAction(
  normal(
    Reason.JobAlreadyActive,
    'Create',
    'Not starting job because prior execution is running and concurrency policy is Forbid',
  ),
);

/** The operator creates no RayJob until the user changes the spec. */
export function refusal({ cronJob: { metadata } }: Pick<ObservedRayCronJob, 'cronJob'>, message: string): EventAction {
  const note = `${fullName({ namespace: metadata?.namespace ?? '' }, metadata?.name ?? '')}: ${message}`;
  return eventAction(warning(Reason.InvalidRayCronJobSpec, 'Validate', note));
}

/** Reports scheduled times for which no RayJob will be created. */
export function missedTimeEvents(state: CronJobState): readonly EventAction[] {
  const { ticks, missed, spec, servedUntil } = state;
  if (ticks.next === undefined)
    return [refusal(state, `the schedule ${spec.schedule} has no time within the next five years`)];
  if (missed !== undefined)
    return [warn(Reason.MissSchedule, `Missed scheduled time to start a job: ${timestamp(missed)}`)];
  if (!ticks.hasMore) return [];
  const advice = 'Check that the operator was running, and whether spec.startingDeadlineSeconds would help';
  const since = `Too many missed start times since ${timestamp(servedUntil)}`;
  return [warn(Reason.TooManyMissedTimes, `${since}: only the last ${MAX_MISSED} are made up for. ${advice}`)];
}

function warn(reason: Reason, note: string): EventAction {
  return eventAction(warning(reason, 'Create', note));
}

function eventAction(event: PlannedEvent): EventAction {
  return { type: 'event', event };
}
