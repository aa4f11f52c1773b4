import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { pod } from '../support/objects.ts';
import { pods } from '../support/paths.ts';
import type { Case, KubeObject, Target } from '../support/target.ts';

async function boundPod(t: Target, spec: object = {}): Promise<string> {
  const namespace = await t.namespace();
  await t.must('POST', pods(namespace), pod('p', { nodeName: 'n1', ...spec }));
  return pods(namespace, 'p');
}

const waitOf = (before: number, { metadata }: KubeObject) => Date.parse(metadata.deletionTimestamp ?? '') - before;

export const cases: readonly Case[] = [
  {
    title: 'a pod that no node has is gone at once',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p'));
      const answer = await t.request('DELETE', pods(namespace, 'p'));
      expect(answer.body).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0 } });
      expectRefusal(await t.request('GET', pods(namespace, 'p')), { code: 404 });
    },
  },
  {
    title: 'a pod on a node gets its own grace period, and stays until the node confirms',
    run: async (t) => {
      const path = await boundPod(t);
      const before = Date.now();
      const deleting = await t.must('DELETE', path);
      expect(deleting.metadata['deletionGracePeriodSeconds']).toBe(30);
      expect(waitOf(before, deleting)).toBeGreaterThan(25_000);
      await t.must('DELETE', path, { gracePeriodSeconds: 0 });
      expectRefusal(await t.request('GET', path), { code: 404 });
    },
  },
  {
    title: 'the grace period of the pod is what counts where none is asked for',
    run: async (t) => {
      const deleting = await t.must('DELETE', await boundPod(t, { terminationGracePeriodSeconds: 7 }));
      expect(deleting.metadata['deletionGracePeriodSeconds']).toBe(7);
    },
  },
  {
    title: 'a grace period that is asked for wins',
    run: async (t) => {
      const deleting = await t.must('DELETE', `${await boundPod(t)}?gracePeriodSeconds=5`);
      expect(deleting.metadata['deletionGracePeriodSeconds']).toBe(5);
    },
  },
  {
    title: 'a grace period may be shortened later, but not prolonged',
    run: async (t) => {
      const path = await boundPod(t);
      const first = await t.must('DELETE', `${path}?gracePeriodSeconds=20`);
      const shorter = await t.must('DELETE', `${path}?gracePeriodSeconds=10`);
      expect(shorter.metadata['deletionGracePeriodSeconds']).toBe(10);
      expect(Date.parse(shorter.metadata.deletionTimestamp ?? '')).toBeLessThan(
        Date.parse(first.metadata.deletionTimestamp ?? ''),
      );
      const longer = await t.must('DELETE', `${path}?gracePeriodSeconds=60`);
      expect(longer.metadata['deletionGracePeriodSeconds']).toBe(10);
    },
  },
  {
    title: 'a grace period of 0 ends a pod at once',
    run: async (t) => {
      const path = await boundPod(t);
      await t.must('DELETE', `${path}?gracePeriodSeconds=0`);
      expectRefusal(await t.request('GET', path), { code: 404 });
    },
  },
  {
    title: 'a pod that has ended is gone at once',
    run: async (t) => {
      const path = await boundPod(t);
      const now = await t.must('GET', path);
      await t.must('PUT', `${path}/status`, { ...now, status: { ...now.status, phase: 'Succeeded' } });
      const deleting = await t.must('DELETE', path);
      expect(deleting.metadata['deletionGracePeriodSeconds']).toBe(0);
      expectRefusal(await t.request('GET', path), { code: 404 });
    },
  },
  {
    title: 'a negative grace period is taken as one second',
    run: async (t) => {
      const deleting = await t.must('DELETE', await boundPod(t), { gracePeriodSeconds: -1 });
      expect(deleting.metadata['deletionGracePeriodSeconds']).toBe(1);
    },
  },
  {
    title: 'a finalizer holds a pod whose grace period is over',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p', {}, { finalizers: ['example.com/hold'] }));
      await t.must('DELETE', pods(namespace, 'p'));
      const waiting = await t.must('GET', pods(namespace, 'p'));
      expect(waiting.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ['example.com/hold'] });
      await t.must(
        'PATCH',
        pods(namespace, 'p'),
        { metadata: { finalizers: null } },
        { 'content-type': 'application/merge-patch+json' },
      );
      expectRefusal(await t.request('GET', pods(namespace, 'p')), { code: 404 });
    },
  },
  {
    title: 'a deleted pod shows in a watch as modified by each request, then as deleted',
    run: async (t) => {
      const path = await boundPod(t);
      const { metadata } = await t.must('GET', path);
      const list = path.replace(/\/p$/, '');
      const watch = await t.watch(`${list}?watch=1&resourceVersion=${metadata.resourceVersion}`);
      await t.must('DELETE', path);
      await t.must('DELETE', `${path}?gracePeriodSeconds=0`);
      expect((await watch.until(({ type }) => type === 'DELETED')).map(({ type }) => type)).toEqual([
        'MODIFIED',
        'MODIFIED',
        'DELETED',
      ]);
      watch.close();
    },
  },
];
