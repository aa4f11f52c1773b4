import {
  ConcurrencyPolicy,
  childNames,
  RayCronJobEventReason,
  type RayCronJobStatus,
  validateRayCronJob,
} from '@manta/api';
import { type CreateAction, NOTHING, type Plan, warning } from '../plan.ts';
import { timestamp } from '../raycluster/conditions.ts';
import { buildCronChild } from './child.ts';
import { deleteChild, planHistory } from './history.ts';
import { ALREADY_ACTIVE, notesOn, refusal, SUSPENDED } from './notes.ts';
import type { ObservedRayCronJob } from './observed.ts';
import { fullName, type Subject, subjectOf } from './subject.ts';

/** A plan, and the status that holds once it has been carried out to its end; absent: as it was. */
export interface RayCronJobPlan extends Plan {
  readonly status?: RayCronJobStatus;
}

/** Clocks are set now and then; a time that is far off is looked for again before it comes. */
const LONGEST_WAIT_MS = 10 * 60_000;

/** What happens to a RayCronJob, from top to bottom. */
export function planRayCronJob(observed: ObservedRayCronJob): RayCronJobPlan {
  const { cronJob } = observed;
  if (cronJob.metadata?.deletionTimestamp !== undefined) return NOTHING;
  const problem = validateRayCronJob(cronJob, observed.gates, observed.parseYaml);
  if (problem !== undefined || cronJob.spec === undefined)
    return { actions: [refusal(observed, problem?.message ?? 'spec is missing')] };
  const subject = subjectOf(observed, cronJob.spec);
  const tidyUp = planHistory(subject);
  if (subject.spec.suspend === true) return { actions: [SUSPENDED, ...tidyUp] };
  const plan = planTick(subject);
  return { ...plan, actions: [...notesOn(subject), ...plan.actions, ...tidyUp] };
}

/** Serves one time: the oldest that is due or, where RayJobs must not overlap, the newest. The others follow in later passes. */
function planTick(subject: Subject): RayCronJobPlan {
  const { ticks, overlaps, spec, cronJob } = subject;
  const tick = overlaps ? ticks.due[0] : ticks.due.at(-1);
  if (tick === undefined) return waitForNext(subject);
  const name = childNames.cronRayJob(cronJob.metadata?.name ?? '', tick);
  // The RayJob of this very time is no earlier one: it was made before, and we did not hear of it.
  const earlier = overlaps ? [] : subject.own.filter((child) => child.outcome === 'running' && child.name !== name);
  if (earlier.length > 0 && spec.concurrencyPolicy === ConcurrencyPolicy.Forbid)
    return { ...waitForNext(subject), actions: [ALREADY_ACTIVE] };
  return {
    actions: [
      ...earlier.filter((child) => !child.isTerminating).flatMap((child) => deleteChild(subject.cronJob, child)),
      createChild(subject, tick, name),
    ],
    status: { lastScheduleTime: timestamp(tick) },
    requeueAfterMs: 0,
  };
}

/** A RayJob of that name is the one for this time, whoever made it and even if it is on its way out: no time is served twice. */
function createChild(subject: Subject, tick: number, name: string): CreateAction {
  const note = `Failed to create RayJob ${fullName(subject, name)}`;
  return {
    type: 'create',
    kind: 'RayJob',
    objects: [buildCronChild(subject.cronJob, tick)],
    whenExists: 'fine',
    failed: warning(RayCronJobEventReason.FailedToCreateRayJob, 'Create', note),
  };
}

function waitForNext({ ticks, now }: Subject): RayCronJobPlan {
  const { next } = ticks;
  return next === undefined ? NOTHING : { actions: [], requeueAfterMs: Math.min(next - now, LONGEST_WAIT_MS) };
}
