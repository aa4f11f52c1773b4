import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { job, patchType, pod, service } from '../support/objects.ts';
import { jobs, pods, services } from '../support/paths.ts';
import type { Case } from '../support/target.ts';

export const cases: readonly Case[] = [
  {
    title: 'a create passes over the status that a client sends',
    run: async (t) => {
      const made = await t.must('POST', pods(await t.namespace()), { ...pod('p'), status: { phase: 'Running' } });
      expect(made.status).toMatchObject({ phase: 'Pending' });
    },
  },
  {
    title: 'an update of the object leaves its status alone',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', pods(namespace), pod('p'));
      const changed = { ...made, metadata: { ...made.metadata, labels: { a: 'b' } }, status: { phase: 'Running' } };
      const after = await t.must('PUT', pods(namespace, 'p'), changed);
      expect(after.metadata.labels).toEqual({ a: 'b' });
      expect(after.status).toMatchObject({ phase: 'Pending' });
    },
  },
  {
    title: 'an update of the status leaves spec and generation alone',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', pods(namespace), pod('p'));
      const changed = {
        ...made,
        spec: { ...made.spec, activeDeadlineSeconds: 5 },
        status: { ...made.status, phase: 'Running', hostIP: '10.1.0.1' },
      };
      const after = await t.must('PUT', `${pods(namespace, 'p')}/status`, changed);
      expect(after.spec).not.toHaveProperty('activeDeadlineSeconds');
      expect(after.status).toMatchObject({ phase: 'Running', hostIP: '10.1.0.1' });
      expect(after.metadata.generation).toBe(made.metadata.generation);
    },
  },
  {
    title: 'a status can be read and patched by itself',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p'));
      const path = `${pods(namespace, 'p')}/status`;
      const patch = { status: { conditions: [{ type: 'Ready', status: 'True' }] }, spec: { priority: 5 } };
      await t.must('PATCH', path, patch, patchType.strategic);
      const read = await t.must('GET', path);
      expect(read).toMatchObject({
        kind: 'Pod',
        spec: { priority: 0 },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      });
    },
  },
  {
    title: 'conditions are merged by type in a strategic patch of the status',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p'));
      const path = `${pods(namespace, 'p')}/status`;
      const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } });
      await t.must('PATCH', path, condition('Ready', 'False'), patchType.strategic);
      await t.must('PATCH', path, condition('Initialized', 'True'), patchType.strategic);
      const after = await t.must('PATCH', path, condition('Ready', 'True'), patchType.strategic);
      const conditions = after.status['conditions'] as { type: string; status: string }[];
      expect(new Map(conditions.map(({ type, status }) => [type, status]))).toEqual(
        new Map([
          ['Ready', 'True'],
          ['Initialized', 'True'],
        ]),
      );
    },
  },
  {
    title: 'a status subresource that a kind does not have is not found',
    run: async (t) => {
      const path = `/api/v1/namespaces/${await t.namespace()}/configmaps/x/status`;
      expectRefusal(await t.request('GET', path), {
        code: 404,
        message: 'the server could not find the requested resource',
      });
    },
  },
  {
    title: 'an update of a status with a stale version is a conflict',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', pods(namespace), pod('p'));
      const path = `${pods(namespace, 'p')}/status`;
      await t.must('PUT', path, { ...made, status: { ...made.status, message: 'one' } });
      expectRefusal(await t.request('PUT', path, { ...made, status: { ...made.status, message: 'two' } }), {
        code: 409,
      });
    },
  },
  {
    title: 'a change of the spec of a job is a new generation, a change of labels is not',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', jobs(namespace), job('j', { suspend: true }));
      expect(made.metadata.generation).toBe(1);
      const path = jobs(namespace, 'j');
      const labelled = await t.must('PATCH', path, { metadata: { labels: { a: 'b' } } }, patchType.merge);
      expect(labelled.metadata.generation).toBe(1);
      const changed = await t.must('PATCH', path, { spec: { backoffLimit: 1 } }, patchType.merge);
      expect(changed.metadata.generation).toBe(2);
    },
  },
  {
    title: 'the generation cannot be set by a client',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', jobs(namespace), job('j', { suspend: true }));
      const after = await t.must('PATCH', jobs(namespace, 'j'), { metadata: { generation: 9 } }, patchType.merge);
      expect(after.metadata.generation).toBe(1);
    },
  },
  {
    title: 'a pod counts generations of its spec',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', pods(namespace), pod('p'));
      expect(made.metadata.generation).toBe(1);
      const after = await t.must(
        'PATCH',
        pods(namespace, 'p'),
        { spec: { activeDeadlineSeconds: 100 } },
        patchType.merge,
      );
      expect(after.metadata.generation).toBe(2);
    },
  },
  {
    title: 'services and config maps have no generation',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', services(namespace), service('s'));
      expect(made.metadata).not.toHaveProperty('generation');
    },
  },
];
