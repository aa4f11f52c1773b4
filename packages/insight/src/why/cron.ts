import { Label, type RayCronJob, RayCronJobConditionReason } from '@manta/api';
import { eventsOf, refOf, refText, timeMs } from '../lookup.ts';
import { itemsOf, type World } from '../world.ts';
import { brief, type Cause, type Found } from './cause.ts';
import { commonCause, createRefused, invalidSpec } from './common.ts';
import { jobCauses } from './job.ts';

/** Why a RayCronJob does not start RayJobs, or why its latest one failed. */
export function cronCauses(cron: RayCronJob, world: World): readonly Found[] {
  const ref = { ...refOf('RayCronJob', cron), kind: 'RayCronJob', namespace: cron.metadata?.namespace ?? '' } as const;
  const links = [{ object: ref, says: cronSays(cron) }];
  const own = (cause: Cause | undefined): readonly Found[] => (cause === undefined ? [] : [{ links, cause }]);
  const common = commonCause({ ref, object: { metadata: cron.metadata ?? {}, spec: cron.spec ?? {} } }, world);
  if (common !== undefined) return own(common);
  const gate = gateOff(ref, cron);
  if (gate !== undefined) return own(gate);
  const refused = invalidSpec(ref, world);
  const schedule: Cause | undefined =
    refused !== undefined && /schedule|time ?zone|cron/i.test(refused.sentence)
      ? {
          ...refused,
          code: 'InvalidSchedule',
          sentence: `the schedule of ${refText(ref)} cannot be read: ${brief(refused.evidence[0]?.text)}`,
          action: 'Correct spec.schedule (five fields) and spec.timeZone (an IANA name).',
        }
      : refused;
  const latest = itemsOf(world.rayJobs)
    .filter(
      ({ metadata }) => metadata?.namespace === ref.namespace && metadata.labels?.[Label.CronJobName] === ref.name,
    )
    .toSorted((a, b) => (timeMs(b.metadata?.creationTimestamp) ?? 0) - (timeMs(a.metadata?.creationTimestamp) ?? 0))[0];
  const below =
    latest === undefined
      ? []
      : jobCauses(latest, world).map(({ links: more, cause }) => ({ links: [...links, ...more], cause }));
  return [...own(schedule), ...own(createRefused(ref, world)), ...own(skipped(ref, world)), ...below];
}

/** One line about the schedule for the chain. */
export function cronSays({ spec, status }: RayCronJob): string {
  return `schedule ${spec?.schedule ?? ''}${status?.lastScheduleTime === undefined ? ', never run' : `, last run ${status.lastScheduleTime}`}`;
}

/** The operator's condition on a schedule that it does not carry out. */
function gateOff(ref: Cause['object'], { status }: RayCronJob): Cause | undefined {
  const condition = status?.conditions?.find(({ reason }) => reason === RayCronJobConditionReason.FeatureGateOff);
  if (condition === undefined) return undefined;
  return {
    code: 'FeatureGateOff',
    object: ref,
    sentence: `the feature gate RayCronJob is off, so the operator creates no RayJobs for ${refText(ref)}`,
    evidence: [{ object: ref, source: 'status.conditions[Scheduling].message', text: brief(condition.message) }],
    action: 'Start the operator with --feature-gates=RayCronJob=true.',
  };
}

function skipped(ref: Cause['object'], world: World): Cause | undefined {
  const [event] = eventsOf(world, ref);
  const at = [{ object: ref, source: `event ${event?.reason}`, text: brief(event?.note) }];
  if (event?.reason === 'JobAlreadyActive')
    return {
      code: 'ScheduleBlocked',
      object: ref,
      sentence: `${refText(ref)} skips its times while an earlier RayJob runs: ${brief(event.note)}`,
      evidence: at,
      action: 'Wait for it, delete it, or set concurrencyPolicy: Allow or Replace.',
    };
  if (event?.reason === 'MissSchedule' || event?.reason === 'TooManyMissedTimes')
    return {
      code: 'ScheduleMissed',
      object: ref,
      sentence: `${refText(ref)} missed a time: ${brief(event.note)}`,
      evidence: at,
      action: 'Check that the operator runs all the time, or raise startingDeadlineSeconds.',
    };
  return undefined;
}
