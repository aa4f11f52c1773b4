/** Everything that can be wrong with a RayCronJob beyond what its schema says. */
import { parseCron } from '../cron.ts';
import { FeatureGate, type FeatureGates } from '../feature-gates.ts';
import { MaxNameLength } from '../limits.ts';
import { isSet, type Loose, textOf } from '../loose.ts';
import { CRON_POLICY_FIELDS, type RayCronJob, type RayCronJobSpec } from '../raycronjob.ts';
import { loadTimeZone } from '../time-zone.ts';
import { type FieldError, fieldError, prefixed } from './field-error.ts';
import { byteLength } from './kubernetes-names.ts';
import { validateRayJobSpec } from './rayjob.ts';
import type { YamlParser } from './runtime-env.ts';

/** Checks name, schedule, time zone and the job's spec; the first rule that is broken is told. */
export function validateRayCronJob(
  cronJob: Loose<RayCronJob>,
  gates: FeatureGates,
  parseYaml: YamlParser,
): FieldError | undefined {
  const spec = cronJob?.spec;
  return (
    checkName(cronJob) ??
    checkSchedule(spec) ??
    checkTimeZone(spec) ??
    checkPolicies(spec, gates) ??
    prefixed(
      'invalid RayJob template: ',
      validateRayJobSpec(spec?.jobTemplate, undefined, gates, parseYaml, 'spec.jobTemplate'),
    )
  );
}

function checkName(cronJob: Loose<RayCronJob>): FieldError | undefined {
  const limit = MaxNameLength.RayCronJob;
  if (byteLength(textOf(cronJob?.metadata?.name)) <= limit) return undefined;
  return fieldError('metadata.name', `RayCronJob name should be no more than ${limit} characters`);
}

function checkSchedule(spec: Loose<RayCronJobSpec>): FieldError | undefined {
  const schedule = textOf(spec?.schedule);
  if (schedule.includes('TZ')) {
    const message = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    return fieldError('spec.schedule', message);
  }
  const parsed = parseCron(schedule);
  return parsed.ok ? undefined : fieldError('spec.schedule', `invalid cron schedule: ${parsed.error}`);
}

function checkTimeZone(spec: Loose<RayCronJobSpec>): FieldError | undefined {
  if (!isSet(spec?.timeZone)) return undefined;
  const name = textOf(spec?.timeZone);
  if (name === '') {
    const advice = 'omit the field to use the local time zone of the KubeRay operator';
    return fieldError('spec.timeZone', `timeZone must not be empty string, ${advice}`);
  }
  const zone = loadTimeZone(name);
  return zone.ok ? undefined : fieldError('spec.timeZone', `invalid time zone: ${zone.error}`);
}

/** A field that would do nothing is refused: a user who asks for no overlap must not find out by overlapping jobs. */
function checkPolicies(spec: Loose<RayCronJobSpec>, gates: FeatureGates): FieldError | undefined {
  if (gates.RayCronJobPolicies) return undefined;
  const field = CRON_POLICY_FIELDS.find((name) => isSet(spec?.[name]));
  if (field === undefined) return undefined;
  return fieldError(`spec.${field}`, `${FeatureGate.RayCronJobPolicies} feature gate must be enabled to use ${field}`);
}
