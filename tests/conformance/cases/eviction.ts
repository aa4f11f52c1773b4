import { eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { pod } from '../support/objects.ts';
import { grouped, pods } from '../support/paths.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const budgets = (namespace: string, name?: string) => grouped('policy/v1', namespace, 'poddisruptionbudgets', name);
const evict = (t: Target, namespace: string, name: string, more: Fields = {}) =>
  t.request('POST', `${pods(namespace, name)}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    ...more,
  });

async function runningPod(t: Target, namespace: string, name: string, isReady = true): Promise<void> {
  const made = await t.must('POST', pods(namespace), pod(name, { nodeName: 'n' }, { labels: { app: 'x' } }));
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
  await t.must('PUT', `${pods(namespace, name)}/status`, { ...made, status: { phase: 'Running', conditions } });
}

async function budget(t: Target, namespace: string, spec: Fields, allowed: number): Promise<void> {
  await t.must('POST', budgets(namespace), {
    metadata: { name: 'b' },
    spec: { selector: { matchLabels: { app: 'x' } }, ...spec },
  });
  await eventuallyHolds(async () =>
    expect((await t.must('GET', budgets(namespace, 'b'))).status).toMatchObject({
      observedGeneration: 1,
      disruptionsAllowed: allowed,
    }),
  );
}

export const cases: readonly Case[] = [
  {
    title: 'a pod that no budget covers is evicted',
    run: async (t) => {
      const namespace = await t.namespace();
      await runningPod(t, namespace, 'p');
      const answer = await evict(t, namespace, 'p', { deleteOptions: { gracePeriodSeconds: 0 } });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ kind: 'Status', status: 'Success' });
      expectRefusal(await t.request('GET', pods(namespace, 'p')), { code: 404 });
    },
  },
  {
    title: 'an evicted pod that is on a node gets its grace period and a condition',
    run: async (t) => {
      const namespace = await t.namespace();
      await runningPod(t, namespace, 'p');
      expect((await evict(t, namespace, 'p')).status).toBe(201);
      const { metadata, status } = await t.must('GET', pods(namespace, 'p'));
      expect(metadata['deletionGracePeriodSeconds']).toBe(30);
      expect(status['conditions']).toContainEqual(
        expect.objectContaining({
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        }),
      );
    },
  },
  {
    title: 'a budget counts healthy pods and says how many may go',
    run: async (t) => {
      const namespace = await t.namespace();
      for (const name of ['a', 'b']) await runningPod(t, namespace, name);
      await runningPod(t, namespace, 'c', false);
      await budget(t, namespace, { minAvailable: 1 }, 1);
      expect((await t.must('GET', budgets(namespace, 'b'))).status).toMatchObject({
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 3,
        conditions: [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' }],
      });
    },
  },
  {
    title: 'an eviction that a budget does not allow is put off, with the reason',
    run: async (t) => {
      const namespace = await t.namespace();
      await runningPod(t, namespace, 'p');
      await budget(t, namespace, { minAvailable: 1 }, 0);
      const answer = await evict(t, namespace, 'p');
      expectRefusal(answer, {
        code: 429,
        reason: 'TooManyRequests',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [
            { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
          ],
        },
      });
      expect((await t.must('GET', pods(namespace, 'p'))).metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    title: 'an eviction uses a disruption up at once',
    run: async (t) => {
      const namespace = await t.namespace();
      for (const name of ['a', 'b']) await runningPod(t, namespace, name);
      await budget(t, namespace, { minAvailable: 1 }, 1);
      expect((await evict(t, namespace, 'a')).status).toBe(201);
      expectRefusal(await evict(t, namespace, 'b'), { code: 429, reason: 'TooManyRequests' });
    },
  },
  {
    title: 'a pod that is not running may be evicted whatever the budget says',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p', {}, { labels: { app: 'x' } }));
      await budget(t, namespace, { minAvailable: 1 }, 0);
      expect((await evict(t, namespace, 'p')).status).toBe(201);
    },
  },
  {
    title: 'a dry eviction leaves the pod alone',
    run: async (t) => {
      const namespace = await t.namespace();
      await runningPod(t, namespace, 'p');
      expect((await evict(t, namespace, 'p', { deleteOptions: { dryRun: ['All'] } })).status).toBe(201);
      expect((await t.must('GET', pods(namespace, 'p'))).metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    title: 'an eviction of another name than that of the path is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await runningPod(t, namespace, 'p');
      expectRefusal(await evict(t, namespace, 'p', { metadata: { name: 'q' } }), {
        code: 400,
        reason: 'BadRequest',
        message: 'name in URL does not match name in Eviction object',
      });
    },
  },
  {
    title: 'an eviction of a pod that is not there is not found',
    run: async (t) =>
      expectRefusal(await evict(t, await t.namespace(), 'p'), { code: 404, message: 'pods "p" not found' }),
  },
  {
    title: 'a budget with both bounds is refused',
    run: async (t) => {
      const path = budgets(await t.namespace());
      const spec = { minAvailable: 1, maxUnavailable: 1, selector: {} };
      expectRefusal(await t.request('POST', path, { metadata: { name: 'b' }, spec }), {
        code: 422,
        reason: 'Invalid',
        message: /minAvailable and maxUnavailable cannot be both set/,
      });
    },
  },
];
