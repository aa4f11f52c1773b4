import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { job, patchType } from '../support/objects.ts';
import { core, jobs, pods } from '../support/paths.ts';
import { gone } from '../support/retry.ts';
import type { Case, Fields, KubeObject, Target } from '../support/target.ts';

/** Makes a job and waits for its pods. */
async function started(t: Target, spec: Fields = {}, podCount = 1) {
  const namespace = await t.namespace();
  const made = await t.must('POST', jobs(namespace), job('j', spec));
  return { namespace, made, created: await podsOf(t, namespace, podCount) };
}

const podsOf = (t: Target, namespace: string, count: number): Promise<readonly KubeObject[]> =>
  eventually(`${count} pods`, async () => {
    const { items } = await t.list(pods(namespace));
    return items.length === count ? items : undefined;
  });

async function end(
  t: Target,
  { metadata, status }: KubeObject,
  phase: 'Succeeded' | 'Failed',
  exitCode = 1,
): Promise<void> {
  const name = metadata.name;
  const state = {
    terminated: {
      exitCode: phase === 'Succeeded' ? 0 : exitCode,
      finishedAt: new Date().toISOString().replace(/\.\d+/, ''),
    },
  };
  const containerStatuses = [{ name: 'main', image: 'x', imageID: '', ready: false, restartCount: 0, state }];
  const path = `${pods(metadata.namespace ?? '', name)}/status`;
  await t.must('PATCH', path, { status: { ...status, phase, containerStatuses } }, patchType.merge);
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

const conditionsOf = (object: KubeObject) => (object.status['conditions'] ?? []) as readonly Condition[];

/** Waits until a job has a true condition. */
const reached = (t: Target, namespace: string, type: string): Promise<KubeObject> =>
  eventually(`the job to be ${type}`, async () => {
    const now = await t.must('GET', jobs(namespace, 'j'));
    return conditionsOf(now).some((condition) => condition.type === type && condition.status === 'True')
      ? now
      : undefined;
  });

export const cases: readonly Case[] = [
  {
    title: 'a job makes a pod with its labels, its owner, and a finalizer that counts it',
    run: async (t) => {
      const { made, created } = await started(t);
      const [first] = created;
      const uid = made.metadata.uid;
      expect(first?.metadata.name).toMatch(/^j-[a-z0-9]{5}$/);
      expect(first?.metadata['generateName']).toBe('j-');
      expect(first?.metadata).toMatchObject({
        labels: {
          'batch.kubernetes.io/controller-uid': uid,
          'batch.kubernetes.io/job-name': 'j',
          'controller-uid': uid,
          'job-name': 'j',
        },
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid, controller: true, blockOwnerDeletion: true },
        ],
        finalizers: ['batch.kubernetes.io/job-tracking'],
      });
    },
  },
  {
    title: 'a job with an active pod says so',
    run: async (t) => {
      const { namespace } = await started(t);
      await eventuallyHolds(async () => {
        const { status } = await t.must('GET', jobs(namespace, 'j'));
        expect(status).toMatchObject({
          active: 1,
          startTime: expect.stringMatching(/Z$/),
          ready: 0,
          terminating: 0,
          uncountedTerminatedPods: {},
        });
      });
    },
  },
  {
    title: 'a ready pod is counted',
    run: async (t) => {
      const { namespace, created } = await started(t);
      const path = `${pods(namespace, created[0]?.metadata.name)}/status`;
      await t.must(
        'PATCH',
        path,
        { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
        patchType.merge,
      );
      await eventuallyHolds(async () =>
        expect((await t.must('GET', jobs(namespace, 'j'))).status).toMatchObject({ active: 1, ready: 1 }),
      );
    },
  },
  {
    title: 'a job whose pod succeeds is complete',
    run: async (t) => {
      const { namespace, created } = await started(t);
      for (const one of created) await end(t, one, 'Succeeded');
      const done = await reached(t, namespace, 'Complete');
      expect(done.status).toMatchObject({
        succeeded: 1,
        completionTime: expect.stringMatching(/Z$/),
        ready: 0,
        terminating: 0,
        uncountedTerminatedPods: {},
      });
      expect(done.status).not.toHaveProperty('active');
      expect(conditionsOf(done).map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
        ['SuccessCriteriaMet', 'True', 'CompletionsReached', 'Reached expected number of succeeded pods'],
        ['Complete', 'True', 'CompletionsReached', 'Reached expected number of succeeded pods'],
      ]);
      const [kept] = (await t.list(pods(namespace))).items;
      expect(kept?.metadata).not.toHaveProperty('finalizers');
    },
  },
  {
    title: 'a job without tries left fails with its first pod',
    run: async (t) => {
      const { namespace, created } = await started(t, { backoffLimit: 0 });
      for (const one of created) await end(t, one, 'Failed');
      const done = await reached(t, namespace, 'Failed');
      expect(done.status).toMatchObject({ failed: 1 });
      expect(done.status).not.toHaveProperty('completionTime');
      expect(conditionsOf(done).map(({ type, reason, message }) => [type, reason, message])).toEqual([
        ['FailureTarget', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'],
        ['Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'],
      ]);
    },
  },
  {
    title: 'a job with tries left makes another pod after a failed one',
    run: async (t) => {
      const { namespace, created } = await started(t, { backoffLimit: 1 });
      for (const one of created) await end(t, one, 'Failed');
      const both = await podsOf(t, namespace, 2);
      await eventuallyHolds(async () =>
        expect((await t.must('GET', jobs(namespace, 'j'))).status).toMatchObject({ failed: 1, active: 1 }),
      );
      for (const one of both) if (one.status['phase'] !== 'Failed') await end(t, one, 'Succeeded');
      expect((await reached(t, namespace, 'Complete')).status).toMatchObject({ failed: 1, succeeded: 1 });
    },
  },
  {
    title: 'a pod that is deleted counts as failed and is replaced',
    run: async (t) => {
      const { namespace, created } = await started(t);
      const name = created[0]?.metadata.name;
      await t.must('DELETE', `${pods(namespace, name)}?gracePeriodSeconds=0`);
      await gone(t, pods(namespace, name));
      await podsOf(t, namespace, 1);
      await eventuallyHolds(async () =>
        expect((await t.must('GET', jobs(namespace, 'j'))).status).toMatchObject({ failed: 1, active: 1 }),
      );
    },
  },
  {
    title: 'a job with a parallelism of two runs two pods',
    run: async (t) => {
      const { namespace, created } = await started(t, { parallelism: 2, completions: 2 }, 2);
      for (const one of created) await end(t, one, 'Succeeded');
      expect((await reached(t, namespace, 'Complete')).status).toMatchObject({ succeeded: 2 });
    },
  },
  {
    title: 'a job past its deadline fails, and its pods are deleted',
    run: async (t) => {
      const { namespace } = await started(t, { activeDeadlineSeconds: 1 });
      const done = await reached(t, namespace, 'Failed');
      expect(conditionsOf(done).at(-1)).toMatchObject({
        type: 'Failed',
        reason: 'DeadlineExceeded',
        message: 'Job was active longer than specified deadline',
      });
      await podsOf(t, namespace, 0);
    },
  },
  {
    title: 'a finished job is deleted with its pods when its time is over',
    run: async (t) => {
      const { namespace, created } = await started(t, { ttlSecondsAfterFinished: 0 });
      for (const one of created) await end(t, one, 'Succeeded');
      await gone(t, jobs(namespace, 'j'));
      await podsOf(t, namespace, 0);
    },
  },
  {
    title: 'a suspended job makes no pods until it is resumed',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', jobs(namespace), job('j', { suspend: true }));
      const suspended = await reached(t, namespace, 'Suspended');
      expect(conditionsOf(suspended)).toMatchObject([
        { type: 'Suspended', reason: 'JobSuspended', message: 'Job suspended' },
      ]);
      expect(suspended.status).not.toHaveProperty('startTime');
      expect((await t.list(pods(namespace))).items).toEqual([]);
      await t.must('PATCH', jobs(namespace, 'j'), { spec: { suspend: false } }, patchType.merge);
      await podsOf(t, namespace, 1);
      await eventuallyHolds(async () => {
        const now = await t.must('GET', jobs(namespace, 'j'));
        expect(conditionsOf(now)).toMatchObject([
          { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' },
        ]);
        expect(now.status['startTime']).toBeDefined();
      });
    },
  },
  {
    title: 'a job that is suspended deletes its pods',
    run: async (t) => {
      const { namespace } = await started(t);
      await t.must('PATCH', jobs(namespace, 'j'), { spec: { suspend: true } }, patchType.merge);
      await podsOf(t, namespace, 0);
      await reached(t, namespace, 'Suspended');
    },
  },
  {
    title: 'pods of a job that is deleted in the background go, too',
    run: async (t) => {
      const { namespace } = await started(t);
      await t.must('DELETE', `${jobs(namespace, 'j')}?propagationPolicy=Background`);
      await gone(t, jobs(namespace, 'j'));
      await podsOf(t, namespace, 0);
    },
  },
  {
    title: 'a job deleted in the foreground waits for its pods',
    run: async (t) => {
      const { namespace } = await started(t);
      await t.must('DELETE', `${jobs(namespace, 'j')}?propagationPolicy=Foreground`);
      await gone(t, jobs(namespace, 'j'));
      expect((await t.list(pods(namespace))).items).toEqual([]);
    },
  },
  {
    title: 'a job tells its story in events',
    run: async (t) => {
      const { namespace, created } = await started(t);
      for (const one of created) await end(t, one, 'Succeeded');
      await eventuallyHolds(async () => {
        const { items } = await t.list(`${core(namespace, 'events')}?fieldSelector=involvedObject.kind%3DJob`);
        const told = items.map(
          (item) => `${String(item['type'])} ${String(item['reason'])}: ${String(item['message'])}`,
        );
        expect(told).toContain(`Normal SuccessfulCreate: Created pod: ${created[0]?.metadata.name}`);
        expect(told).toContain('Normal Completed: Job completed');
      });
    },
  },
  {
    title: 'the template of a job cannot be changed, its parallelism can',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', jobs(namespace), job('j', { suspend: true }));
      const template = { spec: { restartPolicy: 'OnFailure' } };
      expectRefusal(await t.request('PATCH', jobs(namespace, 'j'), { spec: { template } }, patchType.merge), {
        code: 422,
        reason: 'Invalid',
        message: /^Job\.batch "j" is invalid: spec\.template(\.spec)?: Invalid value: .*: field is immutable$/s,
      });
      const after = await t.must('PATCH', jobs(namespace, 'j'), { spec: { parallelism: 0 } }, patchType.merge);
      expect(after.spec['parallelism']).toBe(0);
    },
  },
];
