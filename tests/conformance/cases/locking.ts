import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { configMap } from '../support/objects.ts';
import { configMaps, grouped } from '../support/paths.ts';
import type { Case } from '../support/target.ts';

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

export const cases: readonly Case[] = [
  {
    title: 'an update with a stale version is a conflict',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      const made = await t.must('POST', path.replace(/\/x$/, ''), configMap('x'));
      await t.must('PUT', path, { ...made, data: { a: '1' } });
      expectRefusal(await t.request('PUT', path, { ...made, data: { a: '2' } }), {
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on configmaps "x": ${modified}`,
        details: { name: 'x', kind: 'configmaps' },
      });
      expect((await t.must('GET', path)).data).toEqual({ a: '1' });
    },
  },
  {
    title: 'an update without a version overwrites where the kind allows it',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }));
      const after = await t.must('PUT', configMaps(namespace, 'x'), configMap('x', { b: '2' }));
      expect(after.data).toEqual({ b: '2' });
    },
  },
  {
    title: 'an update without a version is refused where the kind does not allow it',
    run: async (t) => {
      const path = grouped('coordination.k8s.io/v1', await t.namespace(), 'leases');
      const lease = { metadata: { name: 'x' }, spec: { holderIdentity: 'me' } };
      await t.must('POST', path, lease);
      const answer = await t.request('PUT', `${path}/x`, lease);
      expectRefusal(answer, {
        code: 422,
        reason: 'Invalid',
        message:
          'leases.coordination.k8s.io "x" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      });
      expect(causesOf(answer)).toHaveLength(1);
    },
  },
  {
    title: 'an update that changes nothing keeps the version, and tells no watcher',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }));
      const same = await t.must('PUT', configMaps(namespace, 'x'), made);
      expect(same.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
      const watch = await t.watch(`${configMaps(namespace)}?watch=1&resourceVersion=${made.metadata.resourceVersion}`);
      await t.must('POST', configMaps(namespace), configMap('next'));
      expect((await watch.next()).object.metadata.name).toBe('next');
      watch.close();
    },
  },
  {
    title: 'an update with a foreign uid is a conflict that names both',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x'));
      const other = '00000000-0000-4000-8000-000000000000';
      const answer = await t.request('PUT', configMaps(namespace, 'x'), configMap('x', {}, { uid: other }));
      expectRefusal(answer, {
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on configmaps "x": StorageError: invalid object, Code: 4, Key: /registry/configmaps/${namespace}/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${other}, UID in object meta: ${made.metadata.uid}`,
      });
    },
  },
  {
    title: 'an update of what does not exist is not found',
    run: async (t) =>
      expectRefusal(await t.request('PUT', configMaps(await t.namespace(), 'x'), configMap('x')), {
        code: 404,
        reason: 'NotFound',
        message: 'configmaps "x" not found',
      }),
  },
  {
    title: 'an update creates where the kind allows it',
    run: async (t) => {
      const path = grouped('coordination.k8s.io/v1', await t.namespace(), 'leases', 'x');
      const answer = await t.request('PUT', path, { metadata: { name: 'x' }, spec: { holderIdentity: 'me' } });
      expect(answer.status).toBe(201);
    },
  },
  {
    title: 'a version in an update that creates is passed over',
    run: async (t) => {
      const path = grouped('coordination.k8s.io/v1', await t.namespace(), 'leases', 'x');
      const answer = await t.request('PUT', path, { metadata: { name: 'x', resourceVersion: '5' }, spec: {} });
      expect(answer.status).toBe(201);
    },
  },
  {
    title: 'a version that is no number is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x'));
      const answer = await t.request('PUT', configMaps(namespace, 'x'), configMap('x', {}, { resourceVersion: 'abc' }));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure' });
      expect((await t.must('GET', configMaps(namespace, 'x'))).metadata.uid).toBe(made.metadata.uid);
    },
  },
  {
    title: 'of two writers from the same version one wins',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x'));
      const path = configMaps(namespace, 'x');
      const answers = await Promise.all(
        ['1', '2', '3', '4'].map((a) => t.request('PUT', path, { ...made, data: { a } })),
      );
      expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    },
  },
  {
    title: 'versions grow with each write, over all kinds',
    run: async (t) => {
      const namespace = await t.namespace();
      const one = await t.must('POST', configMaps(namespace), configMap('x'));
      const two = await t.must('POST', grouped('coordination.k8s.io/v1', namespace, 'leases'), {
        metadata: { name: 'x' },
      });
      expect(Number(two.metadata.resourceVersion)).toBeGreaterThan(Number(one.metadata.resourceVersion));
    },
  },
];
