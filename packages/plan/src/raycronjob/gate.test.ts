import { defaultFeatureGates, type RayCronJob } from '@manta/api';
import { rayJob } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { planRayCronJob, type RayCronJobPlan } from './plan.ts';

const NOW = Date.parse('2026-03-01T10:00:30Z');

function plan(isOn: boolean, cronJob: Partial<RayCronJob> = {}, suspend = false): RayCronJobPlan {
  const jobTemplate = rayJob('job').spec ?? {};
  return planRayCronJob({
    now: NOW,
    cronJob: {
      metadata: {
        name: 'nightly',
        namespace: 'ml',
        uid: 'u',
        generation: 2,
        creationTimestamp: '2026-03-01T00:00:00Z',
      },
      spec: { schedule: '0 * * * *', jobTemplate, suspend },
      ...cronJob,
    },
    children: [],
    gates: { ...defaultFeatureGates(), RayCronJob: isOn },
    parseYaml: () => undefined,
  });
}

const reported = plan(false).status ?? {};

describe('a RayCronJob without its feature gate', () => {
  it('gets a condition that names the gate and the flag', () => {
    expect(reported.conditions).toEqual([
      {
        type: 'Scheduling',
        status: 'False',
        reason: 'FeatureGateOff',
        message:
          'The feature gate RayCronJob is off: the operator creates no RayJobs. Start the operator with --feature-gates=RayCronJob=true.',
        lastTransitionTime: '2026-03-01T10:00:30Z',
        observedGeneration: 2,
      },
    ]);
  });

  it('gets one Warning event and no RayJob', () => {
    expect(plan(false).actions).toMatchObject([
      { type: 'event', event: { severity: 'Warning', reason: 'FeatureGateOff' } },
    ]);
  });

  it('is not touched again once the condition is stored', () => {
    expect(plan(false, { status: reported })).toEqual({ actions: [] });
  });

  it('is not touched while it is suspended', () => {
    expect(plan(false, {}, true)).toEqual({ actions: [] });
  });

  it('keeps its last schedule time', () => {
    const status = { lastScheduleTime: '2026-03-01T09:00:00Z' };
    expect(plan(false, { status }).status).toMatchObject(status);
  });
});

describe('a RayCronJob whose feature gate was switched on', () => {
  it('loses the condition and is planned again at once', () => {
    const status = { ...reported, lastScheduleTime: '2026-03-01T09:00:00Z' };
    expect(plan(true, { status })).toEqual({
      actions: [],
      status: { lastScheduleTime: '2026-03-01T09:00:00Z' },
      requeueAfterMs: 0,
    });
  });
});
