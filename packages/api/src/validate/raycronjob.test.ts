import { describe, expect, it } from 'vitest';
import { defaultFeatureGates } from '../feature-gates.ts';
import type { RayCronJob, RayCronJobSpec } from '../raycronjob.ts';
import { rayCronJob, withSpec } from '../testing/fixtures.ts';
import { validateRayCronJob } from './raycronjob.ts';

function validate(fields: Partial<RayCronJobSpec>, name = 'nightly') {
  return validateRayCronJob(rayCronJob(name, withSpec<RayCronJob>(fields)), defaultFeatureGates(), () => null);
}

describe('validateRayCronJob()', () => {
  it.each([
    [
      { schedule: 'CRON_TZ=UTC 0 * * * *' },
      'spec.schedule',
      'cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    [{ schedule: 'often' }, 'spec.schedule', 'invalid cron schedule: expected exactly 5 fields, found 1: [often]'],
    [
      { timeZone: '' },
      'spec.timeZone',
      'timeZone must not be empty string, omit the field to use the local time zone of the KubeRay operator',
    ],
    [{ timeZone: 'Invalid/Zone' }, 'spec.timeZone', 'invalid time zone: unknown time zone Invalid/Zone'],
    [
      { jobTemplate: {} },
      'spec.jobTemplate.rayClusterSpec',
      'invalid RayJob template: The RayJob spec is invalid: one of RayClusterSpec or ClusterSelector must be set',
    ],
  ])('refuses %j', (fields, field, message) => {
    expect(validate(fields)).toEqual({ field, message });
  });

  it('refuses a policy where its gate is off, and accepts it where it is on', () => {
    const cronJob = rayCronJob('nightly', withSpec<RayCronJob>({ failedJobsHistoryLimit: 0 }));
    const gates = defaultFeatureGates();
    expect(validateRayCronJob(cronJob, gates, () => null)).toEqual({
      field: 'spec.failedJobsHistoryLimit',
      message: 'RayCronJobPolicies feature gate must be enabled to use failedJobsHistoryLimit',
    });
    expect(validateRayCronJob(cronJob, { ...gates, RayCronJobPolicies: true }, () => null)).toBeUndefined();
  });

  it('accepts a name of 36 letters and refuses one of 37', () => {
    expect(validate({}, 'a'.repeat(36))).toBeUndefined();
    expect(validate({}, 'a'.repeat(37))?.message).toBe('RayCronJob name should be no more than 36 characters');
  });

  it.each(['@hourly', '@every 1h', '*/5 9-17 * * mon-fri'])('accepts the schedule %s', (schedule) => {
    expect(validate({ schedule })).toBeUndefined();
  });
});
