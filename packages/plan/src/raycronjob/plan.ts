import {
  ConcurrencyPolicy,
  childNames,
  RayCronJobEventReason,
  type RayCronJobStatus,
  validateRayCronJob,
  timestamp,
} from '@manta/api';
import { type CreateAction, NOTHING, type ReconcilePlan, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { buildCronChild } from './child.ts';
import { ALREADY_ACTIVE, missedTimeEvents, refusal, SUSPENDED } from './events.ts';
import { reportGateOff, withdrawGateOff } from './gate.ts';
import { deleteBeyondHistoryLimits, deleteChild } from './history.ts';
import type { ObservedRayCronJob } from './observed.ts';
import { type CronJobState, stateOf } from './state.ts';

export type RayCronJobPlan = ReconcilePlan<RayCronJobStatus, undefined>;

/** The longest requeue delay: the clock may be adjusted, so a distant scheduled time is recomputed. */
const LONGEST_WAIT_MS = 10 * 60_000;

/** What happens to a RayCronJob, from top to bottom. */
export function planRayCronJob(observed: ObservedRayCronJob): RayCronJobPlan {
  const { cronJob } = observed;
  if (cronJob.metadata?.deletionTimestamp !== undefined) return NOTHING;
  const gated = reportGateOff(observed) ?? withdrawGateOff(observed);
  if (gated !== undefined) return gated;
  const problem = validateRayCronJob(cronJob, observed.gates, observed.parseYaml);
  if (problem !== undefined || cronJob.spec === undefined)
    return { actions: [refusal(observed, problem?.message ?? 'spec is missing')] };
  const state = stateOf(observed, cronJob.spec);
  const history = deleteBeyondHistoryLimits(state);
  if (state.spec.suspend === true) return { actions: [SUSPENDED, ...history] };
  const plan = startDueRayJob(state);
  return { ...plan, actions: [...missedTimeEvents(state), ...plan.actions, ...history] };
}

/**
 * Creates the RayJob of one scheduled time: the oldest that is due or, if RayJobs must not overlap, the newest. The others follow in
 * later reconciles.
 */
function startDueRayJob(state: CronJobState): RayCronJobPlan {
  const { ticks, overlaps, spec, cronJob } = state;
  const tick = overlaps ? ticks.due[0] : ticks.due.at(-1);
  if (tick === undefined) return waitForNextTime(state);
  const name = childNames.cronRayJob(cronJob.metadata?.name ?? '', tick);
  // The RayJob of this time itself is not an earlier one: an earlier reconcile created it, and the response was lost.
  const earlier = overlaps ? [] : state.own.filter((child) => child.outcome === 'running' && child.name !== name);
  if (earlier.length > 0 && spec.concurrencyPolicy === ConcurrencyPolicy.Forbid)
    return { ...waitForNextTime(state), actions: [ALREADY_ACTIVE] };
  return {
    actions: [
      ...earlier.filter((child) => !child.isTerminating).flatMap((child) => deleteChild(state.cronJob, child)),
      createChild(state, tick, name),
    ],
    status: { ...cronJob.status, lastScheduleTime: timestamp(tick) },
    requeueAfterMs: 0,
  };
}

/** An existing RayJob of that name counts as created, whatever its owner and even while it is being deleted: each time is served once. */
function createChild(state: CronJobState, tick: number, name: string): CreateAction {
  const note = `Failed to create RayJob ${fullName(state, name)}`;
  return {
    type: 'create',
    kind: 'RayJob',
    objects: [buildCronChild(state.cronJob, tick)],
    whenExists: 'fine',
    failed: warning(RayCronJobEventReason.FailedToCreateRayJob, 'Create', note),
  };
}

function waitForNextTime({ ticks, now }: CronJobState): RayCronJobPlan {
  const { next } = ticks;
  return next === undefined ? NOTHING : { actions: [], requeueAfterMs: Math.min(next - now, LONGEST_WAIT_MS) };
}
