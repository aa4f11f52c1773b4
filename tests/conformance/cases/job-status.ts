import { expect } from '../support/expect.ts';
import { causesOf } from '../support/expect-status.ts';
import { job, patchType } from '../support/objects.ts';
import { jobs } from '../support/paths.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
const condition = (type: string): Fields => ({
  type,
  status: 'True',
  reason: 'R',
  message: '',
  lastProbeTime: early,
  lastTransitionTime: early,
});
const complete = [condition('SuccessCriteriaMet'), condition('Complete')];
const failed = [condition('FailureTarget'), condition('Failed')];

/** Makes a job that no controller looks after; gives a function that patches its status. */
async function unmanaged(t: Target, spec: Fields = {}) {
  const namespace = await t.namespace();
  await t.must('POST', jobs(namespace), job('j', { managedBy: 'example.com/nobody', ...spec }));
  return (status: Fields) => t.request('PATCH', `${jobs(namespace, 'j')}/status`, { status }, patchType.merge);
}

const refusals: Readonly<Record<string, readonly [statuses: readonly Fields[], causes: readonly string[]]>> = {
  'an end without a beginning': [
    [{ conditions: failed }],
    ['status.startTime: FieldValueRequired: Required value: startTime is required for finished job'],
  ],
  'a completion without its time': [
    [{ startTime: early, conditions: complete }],
    ['status.completionTime: FieldValueRequired: Required value: completionTime is required for Complete jobs'],
  ],
  'the time of a completion that has not happened': [
    [{ completionTime: late }],
    [
      `status.completionTime: FieldValueInvalid: Invalid value: "${late}": cannot set completionTime when there is no Complete=True condition`,
    ],
  ],
  'a completion before the beginning': [
    [{ startTime: late, completionTime: early, conditions: complete }],
    [`status.completionTime: FieldValueInvalid: Invalid value: "${early}": must be equal to or after \`startTime\``],
  ],
  'a completion that nothing announced': [
    [{ startTime: early, completionTime: late, conditions: [condition('Complete')] }],
    [
      'status.conditions: FieldValueInvalid: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
    ],
  ],
  'both ends at once': [
    [{ startTime: early, completionTime: late, conditions: [...complete, ...failed] }],
    [
      'Complete=True and Failed=true',
      'Complete=True and FailureTarget=true',
      'SuccessCriteriaMet=True and Failed=true',
      'SuccessCriteriaMet=True and FailureTarget=true',
    ].map((what) => `status.conditions: FieldValueInvalid: Invalid value: cannot set ${what} conditions`),
  ],
  'an end that is taken back': [
    [{ startTime: early, conditions: failed }, { conditions: [condition('FailureTarget')] }],
    ['status.conditions: FieldValueInvalid: Invalid value: cannot disable the terminal Failed=True condition'],
  ],
  'another time of completion': [
    [{ startTime: early, completionTime: late, conditions: complete }, { completionTime: early }],
    [`status.completionTime: FieldValueInvalid: Invalid value: "${early}": field is immutable`],
  ],
  'another time of beginning': [
    [{ startTime: early }, { startTime: late }],
    [`status.startTime: FieldValueInvalid: Invalid value: "${late}": field is immutable for unsuspended job once set`],
  ],
  'a beginning that is taken back together with the word that it was suspended': [
    [
      { startTime: early, conditions: [condition('Suspended')] },
      { startTime: null, conditions: [] },
    ],
    ['status.startTime: FieldValueInvalid: Invalid value: null: field is immutable for unsuspended job once set'],
  ],
  'pods of a job that has ended': [
    [{ startTime: early, active: 1 }, { conditions: failed }],
    ['status.active: FieldValueInvalid: Invalid value: 1: active>0 is invalid for finished job'],
  ],
  'fewer failures than before': [
    [{ failed: 2 }, { failed: 1 }],
    ['status.failed: FieldValueInvalid: Invalid value: 1: cannot decrease the failed counter'],
  ],
  'less than no pods': [
    [{ active: -1 }],
    ['status.active: FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0'],
  ],
};

export const cases: readonly Case[] = [
  ...Object.entries(refusals).map(
    ([what, [statuses, causes]]): Case => ({
      title: `the status of a job is refused: ${what}`,
      run: async (t) => {
        const patch = await unmanaged(t);
        for (const status of statuses.slice(0, -1)) expect((await patch(status)).status).toBe(200);
        const answer = await patch(statuses.at(-1) ?? {});
        expect(answer.status).toBe(422);
        expect(causesOf(answer).toSorted()).toEqual(causes.toSorted());
      },
    }),
  ),
  {
    title: 'a job that is said to be suspended no more may begin anew',
    run: async (t) => {
      const patch = await unmanaged(t);
      expect((await patch({ startTime: early, conditions: [condition('Suspended')] })).status).toBe(200);
      const resumed = { ...condition('Suspended'), status: 'False' };
      expect((await patch({ startTime: late, conditions: [resumed] })).status).toBe(200);
    },
  },
  {
    title: 'a suspended job may begin anew',
    run: async (t) => {
      const patch = await unmanaged(t, { suspend: true });
      for (const startTime of [early, late, null]) expect((await patch({ startTime })).status).toBe(200);
    },
  },
];
