import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap, job } from '../support/objects.ts';
import { configMaps, core, jobs } from '../support/paths.ts';
import type { Case, KubeObject } from '../support/target.ts';

const held = { finalizers: ['example.com/hold'] };
const other = '00000000-0000-4000-8000-000000000000';

export const cases: readonly Case[] = [
  {
    title: 'a precondition on the uid that holds lets a delete through, one that does not is a conflict',
    run: async (t) => {
      const namespace = await t.namespace();
      const { metadata } = await t.must('POST', configMaps(namespace), configMap('x'));
      const path = configMaps(namespace, 'x');
      expectRefusal(await t.request('DELETE', path, { preconditions: { uid: other } }), {
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on ConfigMap "x": the UID in the precondition (${other}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
      });
      expect((await t.request('DELETE', path, { preconditions: { uid: metadata.uid } })).status).toBe(200);
    },
  },
  {
    title: 'a precondition on the version that does not hold is a conflict',
    run: async (t) => {
      const namespace = await t.namespace();
      const { metadata } = await t.must('POST', configMaps(namespace), configMap('x'));
      const path = configMaps(namespace, 'x');
      expectRefusal(await t.request('DELETE', path, { preconditions: { resourceVersion: '1' } }), {
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on ConfigMap "x": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
      });
      const { resourceVersion } = metadata;
      expect((await t.request('DELETE', path, { preconditions: { resourceVersion } })).status).toBe(200);
    },
  },
  {
    title: 'a finalizer keeps a deleted object until it is removed',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }, held));
      const path = configMaps(namespace, 'x');
      const deleting = await t.request('DELETE', path);
      expect(deleting.status).toBe(200);
      expect(deleting.body).toMatchObject({
        kind: 'ConfigMap',
        metadata: {
          uid: made.metadata.uid,
          deletionTimestamp: expect.stringMatching(/Z$/),
          deletionGracePeriodSeconds: 0,
          finalizers: ['example.com/hold'],
        },
      });
      const after = await t.must('PUT', path, configMap('x', { a: '1' }));
      expect(after.metadata.deletionTimestamp).toBeDefined();
      expectRefusal(await t.request('GET', path), { code: 404 });
    },
  },
  {
    title: 'deleting a second time answers the object as it waits, and writes nothing',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x', {}, held));
      const path = configMaps(namespace, 'x');
      const first = await t.must('DELETE', path);
      expect(await t.must('DELETE', path)).toEqual(first);
    },
  },
  {
    title: 'an object that waits for its finalizers may still be written, but takes no new finalizer',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x', {}, held));
      const path = configMaps(namespace, 'x');
      await t.must('DELETE', path);
      expect((await t.must('PUT', path, configMap('x', { a: '1' }, held))).data).toEqual({ a: '1' });
      const more = { finalizers: ['example.com/hold', 'example.com/more'] };
      expectRefusal(await t.request('PUT', path, configMap('x', {}, more)), {
        code: 422,
        reason: 'Invalid',
        message:
          'ConfigMap "x" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
      });
    },
  },
  {
    title: 'the deletion time cannot be taken back',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x', {}, held));
      const path = configMaps(namespace, 'x');
      const deleting = await t.must('DELETE', path);
      const after = await t.must('PUT', path, configMap('x', { a: '1' }, { ...held, deletionTimestamp: null }));
      expect(after.metadata.deletionTimestamp).toBe(deleting.metadata.deletionTimestamp);
    },
  },
  {
    title: 'the generation counts a deletion that has to wait',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', jobs(namespace), {
        ...job('j', { suspend: true }),
        metadata: { name: 'j', ...held },
      });
      const deleting = await t.must('DELETE', `${jobs(namespace, 'j')}?propagationPolicy=Background`);
      expect(deleting.metadata.generation).toBe((made.metadata.generation ?? 0) + 1);
    },
  },
  {
    title: 'propagation policies show as finalizers while the collector works',
    run: async (t) => {
      const namespace = await t.namespace();
      for (const [name, policy, finalizer] of [
        ['f', 'Foreground', 'foregroundDeletion'],
        ['o', 'Orphan', 'orphan'],
      ] as const) {
        await t.must('POST', configMaps(namespace), configMap(name));
        const deleting = await t.must('DELETE', `${configMaps(namespace, name)}?propagationPolicy=${policy}`);
        expect(deleting.metadata.finalizers).toEqual([finalizer]);
        expect(deleting.metadata.deletionTimestamp).toBeDefined();
      }
    },
  },
  {
    title: 'a job is orphaned where no policy is given',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', jobs(namespace), job('j', { suspend: true }));
      const answer = await t.request('DELETE', jobs(namespace, 'j'));
      expect(answer.body).toMatchObject({ kind: 'Job', metadata: { finalizers: ['orphan'] } });
      expect(answer.headers['warning']).toBe(
        '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"',
      );
    },
  },
  {
    title: 'the options of a delete may be sent as body or as query',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' };
      const deleting = await t.must('DELETE', configMaps(namespace, 'x'), options);
      expect(deleting.metadata.finalizers).toEqual(['foregroundDeletion']);
    },
  },
  {
    title: 'an unknown propagation policy is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      expectRefusal(await t.request('DELETE', `${configMaps(namespace, 'x')}?propagationPolicy=Sideways`), {
        code: 422,
        reason: 'Invalid',
        message:
          'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
      });
    },
  },
  {
    title: 'old and new ways to say what to do with dependents may not be mixed',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const options = { orphanDependents: true, propagationPolicy: 'Foreground' };
      expectRefusal(await t.request('DELETE', configMaps(namespace, 'x'), options), {
        code: 422,
        message:
          'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Foreground": orphanDependents and deletionPropagation cannot be both set',
      });
    },
  },
  {
    title: 'options that cannot be read are refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      expectRefusal(await t.request('DELETE', configMaps(namespace, 'x'), '{"gracePeriodSeconds":"soon"}'), {
        code: 400,
        reason: 'BadRequest',
      });
    },
  },
  {
    title: 'deleting a collection deletes what is selected, and answers the list',
    run: async (t) => {
      const path = core(await t.namespace(), 'secrets');
      for (const name of ['a', 'b', 'c'])
        await t.must('POST', path, { metadata: { name, labels: { doomed: String(name !== 'c') } } });
      const answer = await t.request('DELETE', `${path}?labelSelector=doomed%3Dtrue`);
      expect(answer.status).toBe(200);
      const list = answer.body as { kind: string; items: KubeObject[] };
      expect(list.kind).toBe('SecretList');
      expect(list.items.map((item) => item.metadata.name).toSorted((a, b) => a.localeCompare(b))).toEqual(['a', 'b']);
      expect((await t.list(path)).items.map((item) => item.metadata.name)).toEqual(['c']);
    },
  },
  {
    title: 'deleting a collection by name selects by field',
    run: async (t) => {
      const path = core(await t.namespace(), 'secrets');
      for (const name of ['a', 'b']) await t.must('POST', path, { metadata: { name } });
      await t.must('DELETE', `${path}?fieldSelector=metadata.name%3Da`);
      expect((await t.list(path)).items.map((item) => item.metadata.name)).toEqual(['b']);
    },
  },
  {
    title: 'deleting a collection leaves what has finalizers waiting',
    run: async (t) => {
      const path = core(await t.namespace(), 'secrets');
      await t.must('POST', path, { metadata: { name: 'a', ...held } });
      await t.must('POST', path, { metadata: { name: 'b' } });
      await t.must('DELETE', path);
      const list = await t.list(path);
      expect(list.items.map((item) => item.metadata.name)).toEqual(['a']);
      expect(list.items[0]?.metadata.deletionTimestamp).toBeDefined();
    },
  },
  {
    title: 'an empty collection can be deleted',
    run: async (t) => {
      const path = core(await t.namespace(), 'secrets');
      expect(await t.must('DELETE', path)).toMatchObject({ kind: 'SecretList', items: [] });
    },
  },
  {
    title: 'namespaces cannot be deleted as a collection',
    run: async (t) => expectRefusal(await t.request('DELETE', '/api/v1/namespaces'), { code: 405 }),
  },
];
