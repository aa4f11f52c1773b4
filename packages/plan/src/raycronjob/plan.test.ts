import { defaultFeatureGates, type RayCronJob, type RayCronJobSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import type { Action } from '../plan.ts';
import type { CronChild, ObservedRayCronJob } from './observed.ts';
import { planRayCronJob, type RayCronJobPlan } from './plan.ts';

const CREATED = '2026-03-01T09:30:00Z';
const MINUTE = 60_000;

interface Situation {
  readonly spec?: Partial<RayCronJobSpec>;
  readonly last?: string;
  readonly now: string;
  readonly children?: readonly CronChild[];
  readonly deleting?: boolean;
  readonly policies?: boolean;
}

function cronJob({ spec = {}, last, deleting }: Situation): RayCronJob {
  return {
    metadata: {
      name: 'cron',
      namespace: 'ns',
      uid: 'cron-uid',
      creationTimestamp: CREATED,
      ...(deleting === true ? { deletionTimestamp: CREATED } : {}),
    },
    spec: {
      schedule: '0 * * * *',
      timeZone: 'UTC',
      jobTemplate: {
        entrypoint: 'python run.py',
        suspend: false,
        rayClusterSpec: { headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'ray' }] } } } },
      },
      ...spec,
    },
    ...(last === undefined ? {} : { status: { lastScheduleTime: last } }),
  };
}

function plan(situation: Situation): RayCronJobPlan {
  const observed: ObservedRayCronJob = {
    now: Date.parse(situation.now),
    cronJob: cronJob(situation),
    children: situation.children ?? [],
    gates: { ...defaultFeatureGates(), RayCronJob: true, RayCronJobPolicies: situation.policies ?? true },
    parseYaml: (text) => JSON.parse(text),
  };
  return planRayCronJob(observed);
}

const childAt = (time: string, fields: Partial<CronChild> = {}): CronChild => ({
  name: `cron-${Date.parse(time) / MINUTE}`,
  uid: `uid-${time}`,
  owner: 'cron-uid',
  scheduledAt: Date.parse(time),
  isTerminating: false,
  outcome: 'running',
  ...fields,
});

/** A plan as one reads it aloud: times of RayJobs instead of their names. */
function words({ actions, status, requeueAfterMs }: RayCronJobPlan): readonly string[] {
  return [
    ...actions.map(inWords),
    ...(status === undefined ? [] : [`served ${status.lastScheduleTime}`]),
    ...(requeueAfterMs === undefined ? [] : [`again in ${requeueAfterMs / 1000} s`]),
  ];
}

function inWords(action: Action): string {
  if (action.type === 'event') return `${action.event.severity} ${action.event.reason}: ${action.event.note}`;
  if (action.type === 'create') return `make ${action.objects.map(({ metadata }) => timeOf(metadata?.name)).join()}`;
  return action.type === 'delete' ? `delete ${timeOf(action.name)} (${action.uid})` : action.type;
}

function timeOf(name = ''): string {
  return new Date(Number(name.replace('cron-', '')) * MINUTE).toISOString().slice(5, 16);
}

const SITUATIONS: Readonly<Record<string, readonly [Situation, readonly string[]]>> = {
  'a new schedule waits for its first time': [{ now: '2026-03-01T09:55:00Z' }, ['again in 300 s']],
  'a time that is far off is looked for again before it comes': [
    { now: CREATED, spec: { schedule: '0 0 1 1 *' } },
    ['again in 600 s'],
  ],
  'a time that has come is served, and the next one looked for at once': [
    { now: '2026-03-01T10:00:00Z' },
    ['make 03-01T10:00', 'served 2026-03-01T10:00:00Z', 'again in 0 s'],
  ],
  'of many missed times the oldest is served first': [
    { now: '2026-03-01T12:30:00Z', last: '2026-03-01T09:00:00Z' },
    ['make 03-01T10:00', 'served 2026-03-01T10:00:00Z', 'again in 0 s'],
  ],
  'a clock that was set back serves nothing twice': [
    { now: '2026-03-01T10:30:00Z', last: '2026-03-01T12:00:00Z' },
    ['again in 600 s'],
  ],
  'a week of missed minutes is not made up for as a whole': [
    { now: '2026-03-08T09:30:00Z', spec: { schedule: '* * * * *' } },
    [
      'Warning TooManyMissedTimes: Too many missed start times since 2026-03-01T09:30:00Z: only the last 100 are made up for. ' +
        'Check that the operator was running, and whether spec.startingDeadlineSeconds would help',
      'make 03-08T07:51',
      'served 2026-03-08T07:51:00Z',
      'again in 0 s',
    ],
  ],
  'a schedule without any time makes nothing, and says so': [
    { now: '2026-03-08T09:30:00Z', spec: { schedule: '0 0 31 2 *' } },
    ['Warning InvalidRayCronJobSpec: ns/cron: the schedule 0 0 31 2 * has no time within the next five years'],
  ],
  'an invalid schedule makes nothing': [
    { now: '2026-03-08T09:30:00Z', spec: { schedule: 'often' } },
    ['Warning InvalidRayCronJobSpec: ns/cron: invalid cron schedule: expected exactly 5 fields, found 1: [often]'],
  ],
  'an invalid template is told before a suspension': [
    { now: '2026-03-08T09:30:00Z', spec: { suspend: true, jobTemplate: {} } },
    [
      'Warning InvalidRayCronJobSpec: ns/cron: invalid RayJob template: The RayJob spec is invalid: one of RayClusterSpec or ClusterSelector must be set',
    ],
  ],
  'a suspended schedule makes nothing': [
    { now: '2026-03-01T12:30:00Z', spec: { suspend: true } },
    ['Normal SuspendedRayCronJob: RayCronJob suspended, no new RayJobs will be created'],
  ],
  'a schedule on its way out makes nothing': [{ now: '2026-03-01T12:30:00Z', deleting: true }, []],
  'earlier RayJobs are no obstacle by default': [
    { now: '2026-03-01T11:00:00Z', last: '2026-03-01T10:00:00Z', children: [childAt('2026-03-01T10:00:00Z')] },
    ['make 03-01T11:00', 'served 2026-03-01T11:00:00Z', 'again in 0 s'],
  ],

  'Forbid waits while an earlier RayJob runs': [
    {
      now: '2026-03-01T11:00:00Z',
      last: '2026-03-01T10:00:00Z',
      spec: { concurrencyPolicy: 'Forbid' },
      children: [childAt('2026-03-01T10:00:00Z')],
    },
    [
      'Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
      'again in 600 s',
    ],
  ],
  'Forbid waits for a RayJob on its way out': [
    {
      now: '2026-03-01T11:00:00Z',
      last: '2026-03-01T10:00:00Z',
      spec: { concurrencyPolicy: 'Forbid' },
      children: [childAt('2026-03-01T10:00:00Z', { isTerminating: true })],
    },
    [
      'Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
      'again in 600 s',
    ],
  ],
  'Forbid serves the newest time once the earlier RayJob has ended': [
    {
      now: '2026-03-01T12:30:00Z',
      last: '2026-03-01T10:00:00Z',
      spec: { concurrencyPolicy: 'Forbid' },
      children: [childAt('2026-03-01T10:00:00Z', { outcome: 'failed' })],
    },
    ['make 03-01T12:00', 'served 2026-03-01T12:00:00Z', 'again in 0 s'],
  ],
  'Forbid is not held up by the RayJob of the very time that it serves': [
    {
      now: '2026-03-01T11:00:00Z',
      last: '2026-03-01T10:00:00Z',
      spec: { concurrencyPolicy: 'Forbid' },
      children: [childAt('2026-03-01T11:00:00Z')],
    },
    ['make 03-01T11:00', 'served 2026-03-01T11:00:00Z', 'again in 0 s'],
  ],
  'Forbid does not mind RayJobs of another schedule of the same name': [
    {
      now: '2026-03-01T11:00:00Z',
      last: '2026-03-01T10:00:00Z',
      spec: { concurrencyPolicy: 'Forbid' },
      children: [childAt('2026-03-01T10:00:00Z', { owner: 'before' })],
    },
    ['make 03-01T11:00', 'served 2026-03-01T11:00:00Z', 'again in 0 s'],
  ],
  'Replace deletes the RayJobs that still run, and only those': [
    {
      now: '2026-03-01T12:00:00Z',
      last: '2026-03-01T11:00:00Z',
      spec: { concurrencyPolicy: 'Replace' },
      children: [
        childAt('2026-03-01T09:00:00Z', { outcome: 'succeeded' }),
        childAt('2026-03-01T10:00:00Z', { isTerminating: true }),
        childAt('2026-03-01T11:00:00Z'),
      ],
    },
    [
      'delete 03-01T11:00 (uid-2026-03-01T11:00:00Z)',
      'make 03-01T12:00',
      'served 2026-03-01T12:00:00Z',
      'again in 0 s',
    ],
  ],
  'Replace does not replace the RayJob of the time that it serves': [
    {
      now: '2026-03-01T12:00:00Z',
      last: '2026-03-01T11:00:00Z',
      spec: { concurrencyPolicy: 'Replace' },
      children: [childAt('2026-03-01T12:00:00Z')],
    },
    ['make 03-01T12:00', 'served 2026-03-01T12:00:00Z', 'again in 0 s'],
  ],

  'a time within its deadline is served': [
    { now: '2026-03-01T10:05:00Z', spec: { startingDeadlineSeconds: 300 } },
    ['make 03-01T10:00', 'served 2026-03-01T10:00:00Z', 'again in 0 s'],
  ],
  'a time beyond its deadline is missed, and told': [
    { now: '2026-03-01T10:05:01Z', spec: { startingDeadlineSeconds: 300 } },
    ['Warning MissSchedule: Missed scheduled time to start a job: 2026-03-01T10:00:00Z', 'again in 600 s'],
  ],
  'a deadline shorter than a delay does not move the beat': [
    { now: '2026-03-01T10:30:05Z', spec: { schedule: '@every 1h', startingDeadlineSeconds: 10 } },
    ['make 03-01T10:30', 'served 2026-03-01T10:30:00Z', 'again in 0 s'],
  ],

  'the oldest RayJobs beyond the limits go, by how they ended': [
    {
      now: '2026-03-01T09:55:00Z',
      spec: { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0, suspend: true },
      children: [
        childAt('2026-03-01T01:00:00Z', { outcome: 'succeeded' }),
        childAt('2026-03-01T03:00:00Z', { outcome: 'succeeded' }),
        childAt('2026-03-01T02:00:00Z', { outcome: 'succeeded', isTerminating: true }),
        childAt('2026-03-01T04:00:00Z', { outcome: 'failed' }),
        childAt('2026-03-01T05:00:00Z'),
        childAt('2026-03-01T00:00:00Z', { outcome: 'failed', owner: 'another' }),
      ],
    },
    [
      'Normal SuspendedRayCronJob: RayCronJob suspended, no new RayJobs will be created',
      'delete 03-01T01:00 (uid-2026-03-01T01:00:00Z)',
      'delete 03-01T04:00 (uid-2026-03-01T04:00:00Z)',
    ],
  ],
  'without limits everything stays': [
    { now: '2026-03-01T09:55:00Z', children: [childAt('2026-03-01T01:00:00Z', { outcome: 'failed' })] },
    ['again in 300 s'],
  ],
};

describe('planRayCronJob()', () => {
  it.each(Object.entries(SITUATIONS))('%s', (_title, [situation, expected]) => {
    expect(words(plan(situation))).toEqual(expected);
  });

  it('refuses a policy that its gate does not allow, rather than ignore it', () => {
    const refused = plan({ now: CREATED, policies: false, spec: { concurrencyPolicy: 'Forbid' } });
    expect(words(refused)).toEqual([
      'Warning InvalidRayCronJobSpec: ns/cron: RayCronJobPolicies feature gate must be enabled to use concurrencyPolicy',
    ]);
  });

  it('makes RayJobs that carry the template, their time and their owner', () => {
    const [action] = plan({ now: '2026-03-01T10:00:00Z' }).actions;
    expect(action).toMatchObject({
      kind: 'RayJob',
      whenExists: 'fine',
      objects: [
        {
          apiVersion: 'ray.io/v1',
          kind: 'RayJob',
          metadata: {
            name: 'cron-29539320',
            namespace: 'ns',
            labels: { 'ray.io/cronjob-name': 'cron' },
            annotations: { 'ray.io/cronjob-scheduled-timestamp': '2026-03-01T10:00:00Z' },
            ownerReferences: [{ kind: 'RayCronJob', name: 'cron', uid: 'cron-uid', controller: true }],
          },
          spec: { entrypoint: 'python run.py' },
        },
      ],
    });
    expect(JSON.stringify(action)).not.toContain('suspend');
  });
});

it('a RayJob says what its cluster and its submitter are to be as Kubernetes writes it', () => {
  const pod = (cpu: string | number) => ({ spec: { containers: [{ name: 'a', resources: { limits: { cpu } } }] } });
  const template = (cpu: string | number) => ({
    rayClusterSpec: { headGroupSpec: { template: pod(cpu) } },
    submitterPodTemplate: pod(cpu),
  });
  const { actions } = plan({ now: '2026-03-01T10:00:00Z', spec: { jobTemplate: template(0.5) } });
  expect(actions).toMatchObject([{ type: 'create', objects: [{ spec: template('500m') }] }]);
});
