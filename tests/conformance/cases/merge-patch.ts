import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap, patchType, pod } from '../support/objects.ts';
import { configMaps, pods } from '../support/paths.ts';
import type { Case } from '../support/target.ts';

export const cases: readonly Case[] = [
  {
    title: 'a merge patch sets, keeps and, with null, removes',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x', { a: '1', b: '2' }));
      const after = await t.must('PATCH', configMaps(namespace, 'x'), { data: { a: null, c: '3' } }, patchType.merge);
      expect(after.data).toEqual({ b: '2', c: '3' });
    },
  },
  {
    title: 'a merge patch replaces lists as a whole',
    run: async (t) => {
      const namespace = await t.namespace();
      const finalizers = ['example.com/a', 'example.com/b'];
      await t.must('POST', configMaps(namespace), configMap('x', {}, { finalizers }));
      const patch = { metadata: { finalizers: ['example.com/b'] } };
      const after = await t.must('PATCH', configMaps(namespace, 'x'), patch, patchType.merge);
      expect(after.metadata.finalizers).toEqual(['example.com/b']);
    },
  },
  {
    title: 'null for a whole map removes it',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }, { labels: { a: 'b' } }));
      const after = await t.must(
        'PATCH',
        configMaps(namespace, 'x'),
        { data: null, metadata: { labels: null } },
        patchType.merge,
      );
      expect(after).not.toHaveProperty('data');
      expect(after.metadata).not.toHaveProperty('labels');
    },
  },
  {
    title: 'a version in a merge patch makes it conditional',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x'));
      const { resourceVersion } = made.metadata;
      const path = configMaps(namespace, 'x');
      await t.must('PATCH', path, { metadata: { resourceVersion }, data: { a: '1' } }, patchType.merge);
      const again = await t.request(
        'PATCH',
        path,
        { metadata: { resourceVersion }, data: { a: '2' } },
        patchType.merge,
      );
      expectRefusal(again, {
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again',
      });
    },
  },
  {
    title: 'a merge patch may not change the uid',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const uid = '00000000-0000-4000-8000-000000000000';
      const answer = await t.request('PATCH', configMaps(namespace, 'x'), { metadata: { uid } }, patchType.merge);
      expectRefusal(answer, {
        code: 422,
        reason: 'Invalid',
        message: `ConfigMap "x" is invalid: metadata.uid: Invalid value: "${uid}": field is immutable`,
      });
    },
  },
  {
    title: 'a merge patch may not rename',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      expectRefusal(
        await t.request('PATCH', configMaps(namespace, 'x'), { metadata: { name: 'y' } }, patchType.merge),
        {
          code: 400,
          reason: 'BadRequest',
          message: 'the name of the object (y) does not match the name on the URL (x)',
        },
      );
    },
  },
  {
    title: 'a merge patch of the wrong type is refused with what could not be decoded',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      expectRefusal(await t.request('PATCH', configMaps(namespace, 'x'), { data: 'text' }, patchType.merge), {
        code: 422,
        reason: 'Invalid',
        message:
          /^ "" is invalid: patch: Invalid value: .*: json: cannot unmarshal string into Go struct field ConfigMap\.data of type map\[string\]string$/,
      });
    },
  },
  {
    title: 'a merge patch of bad JSON is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      expectRefusal(await t.request('PATCH', configMaps(namespace, 'x'), '{"data":', patchType.merge), {
        code: 400,
        reason: 'BadRequest',
      });
    },
  },
  {
    title: 'a merge patch with an unknown field is stored without it',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const after = await t.must(
        'PATCH',
        configMaps(namespace, 'x'),
        { nonsense: 1, data: { a: '1' } },
        patchType.merge,
      );
      expect(after).not.toHaveProperty('nonsense');
      expect(after.data).toEqual({ a: '1' });
    },
  },
  {
    title: 'a merge patch that replaces the containers of a pod by none is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p'));
      expectRefusal(await t.request('PATCH', pods(namespace, 'p'), { spec: { containers: [] } }, patchType.merge), {
        code: 422,
        reason: 'Invalid',
      });
    },
  },
  {
    title: 'a patch with a content type that nobody knows is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const answer = await t.request('PATCH', configMaps(namespace, 'x'), {}, { 'content-type': 'application/json' });
      expectRefusal(answer, {
        code: 415,
        reason: 'UnsupportedMediaType',
        message: '415: Unsupported Media Type',
      });
    },
  },
  {
    title: 'a patch goes through validation like an update',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const patch = { metadata: { labels: { a: 'b c' } } };
      expectRefusal(await t.request('PATCH', configMaps(namespace, 'x'), patch, patchType.merge), {
        code: 422,
        reason: 'Invalid',
        details: { name: 'x', kind: 'ConfigMap' },
      });
    },
  },
];
