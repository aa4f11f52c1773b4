import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { pod } from '../support/objects.ts';
import { core, pods } from '../support/paths.ts';
import type { Case, Target } from '../support/target.ts';

const bind = (t: Target, namespace: string, node: string, metadata: object = { name: 'p' }) =>
  t.request('POST', `${pods(namespace, 'p')}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata,
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  });

async function freePod(t: Target, spec: object = {}): Promise<string> {
  const namespace = await t.namespace();
  await t.must('POST', pods(namespace), pod('p', { ...spec }));
  return namespace;
}

export const cases: readonly Case[] = [
  {
    title: 'a binding sets the node of a pod, says so in a condition, and answers a Status',
    run: async (t) => {
      const namespace = await freePod(t);
      const answer = await bind(t, namespace, 'n1');
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
      const { spec, status } = await t.must('GET', pods(namespace, 'p'));
      expect(spec['nodeName']).toBe('n1');
      expect(status['conditions']).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
    },
  },
  {
    title: 'a second binding is a conflict',
    run: async (t) => {
      const namespace = await freePod(t);
      await bind(t, namespace, 'n1');
      expectRefusal(await bind(t, namespace, 'n2'), {
        code: 409,
        reason: 'Conflict',
        message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
      });
    },
  },
  {
    title: 'a binding with a foreign uid is a conflict',
    run: async (t) => {
      const namespace = await freePod(t);
      const answer = await bind(t, namespace, 'n1', { name: 'p', uid: '00000000-0000-4000-8000-000000000000' });
      expectRefusal(answer, { code: 409, reason: 'Conflict' });
    },
  },
  {
    title: 'a binding of a pod that is being deleted is a conflict',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p', {}, { finalizers: ['example.com/hold'] }));
      await t.must('DELETE', pods(namespace, 'p'));
      expectRefusal(await bind(t, namespace, 'n1'), {
        code: 409,
        message:
          'Operation cannot be fulfilled on pods/binding "p": pod p is being deleted, cannot be assigned to a host',
      });
    },
  },
  {
    title: 'a binding of a pod that is not there is not found',
    run: async (t) =>
      expectRefusal(await bind(t, await t.namespace(), 'n1'), { code: 404, message: 'pods "p" not found' }),
  },
  {
    title: 'a binding without a node is refused',
    run: async (t) => {
      const namespace = await freePod(t);
      const answer = await bind(t, namespace, '');
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.body).toMatchObject({ kind: 'Status', message: 'target.name: Required value' });
    },
  },
  {
    title: 'annotations and labels of a binding go to the pod',
    run: async (t) => {
      const namespace = await freePod(t);
      await bind(t, namespace, 'n1', { name: 'p', annotations: { a: '1' } });
      expect((await t.must('GET', pods(namespace, 'p'))).metadata.annotations).toEqual({ a: '1' });
    },
  },
  {
    title: 'bindings can be made as a kind of their own, too',
    run: async (t) => {
      const namespace = await freePod(t);
      const binding = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n1' } };
      expect((await t.request('POST', core(namespace, 'bindings'), binding)).status).toBe(201);
      expect((await t.must('GET', pods(namespace, 'p'))).spec['nodeName']).toBe('n1');
    },
  },
  {
    title: 'a pod with gates cannot be bound before they are gone',
    run: async (t) => {
      const namespace = await freePod(t, { schedulingGates: [{ name: 'example.com/wait' }] });
      const { status } = await t.must('GET', pods(namespace, 'p'));
      expect(status['conditions']).toMatchObject([
        { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' },
      ]);
      expectRefusal(await bind(t, namespace, 'n1'), { code: 409 });
    },
  },
  {
    title: 'the node of a pod cannot be set by an update',
    run: async (t) => {
      const namespace = await freePod(t);
      const now = await t.must('GET', pods(namespace, 'p'));
      expectRefusal(await t.request('PUT', pods(namespace, 'p'), { ...now, spec: { ...now.spec, nodeName: 'n1' } }), {
        code: 422,
        reason: 'Invalid',
      });
    },
  },
];
