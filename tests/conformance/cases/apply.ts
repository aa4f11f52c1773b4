import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { configMap, patchType, pod } from '../support/objects.ts';
import { configMaps, pods } from '../support/paths.ts';
import type { Case, Fields, KubeObject, Target } from '../support/target.ts';

const apply = (t: Target, path: string, manager: string, object: Fields, more = '') =>
  t.request('PATCH', `${path}?fieldManager=${manager}${more}`, object, patchType.apply);

const applied = async (t: Target, path: string, manager: string, object: Fields, more = ''): Promise<KubeObject> =>
  t.must('PATCH', `${path}?fieldManager=${manager}${more}`, object, patchType.apply);

/** A ConfigMap that says nothing of its data. */
const plain = (metadata: Fields) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', ...metadata } });

const ownersOf = (object: KubeObject) =>
  (object.metadata.managedFields ?? []).map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));

export const cases: readonly Case[] = [
  {
    title: 'apply creates what is not there, and answers 201',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      const answer = await apply(t, path, 'me', configMap('x', { a: '1' }));
      expect(answer.status).toBe(201);
      expect(ownersOf(answer.body as KubeObject)).toEqual([
        { manager: 'me', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } },
      ]);
    },
  },
  {
    title: 'apply merges into what is there, and answers 200',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', configMap('x', { a: '1' }));
      const answer = await apply(t, path, 'you', configMap('x', { b: '2' }));
      expect(answer.status).toBe(200);
      expect((answer.body as KubeObject).data).toEqual({ a: '1', b: '2' });
      expect(ownersOf(answer.body as KubeObject).map(({ manager }) => manager)).toEqual(['me', 'you']);
    },
  },
  {
    title: 'apply of the same again keeps the version and the time',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      const first = await applied(t, path, 'me', configMap('x', { a: '1' }));
      expect(await applied(t, path, 'me', configMap('x', { a: '1' }))).toEqual(first);
    },
  },
  {
    title: 'a field that its only applier leaves out is removed',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', configMap('x', { a: '1', b: '2' }));
      expect((await applied(t, path, 'me', configMap('x', { b: '2' }))).data).toEqual({ b: '2' });
    },
  },
  {
    title: 'a field that another applier keeps stays',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', configMap('x', { a: '1' }));
      await applied(t, path, 'you', configMap('x', { a: '1' }));
      expect((await applied(t, path, 'me', configMap('x'))).data).toEqual({ a: '1' });
    },
  },
  {
    title: 'a different value for the field of another applier is a conflict that names manager and field',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', configMap('x', { a: '1' }));
      expectRefusal(await apply(t, path, 'you', configMap('x', { a: '2' })), {
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "me": .data.a',
        details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "me"', field: '.data.a' }] },
      });
      expect((await t.must('GET', path)).data).toEqual({ a: '1' });
    },
  },
  {
    title: 'several conflicts are listed by manager',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', configMap('x', { a: '1', b: '1' }));
      await applied(t, path, 'them', configMap('x', { c: '1' }));
      const answer = await apply(t, path, 'you', configMap('x', { a: '2', b: '2', c: '2' }));
      expectRefusal(answer, {
        code: 409,
        message:
          /^Apply failed with 3 conflicts: conflicts? with "me":\n- \.data\.a\n- \.data\.b\nconflicts? with "them":\n- \.data\.c$/,
      });
      expect(causesOf(answer).toSorted((a, b) => a.localeCompare(b))).toEqual([
        '.data.a: FieldManagerConflict: conflict with "me"',
        '.data.b: FieldManagerConflict: conflict with "me"',
        '.data.c: FieldManagerConflict: conflict with "them"',
      ]);
    },
  },
  {
    title: 'force takes the field over',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', configMap('x', { a: '1', b: '1' }));
      const after = await applied(t, path, 'you', configMap('x', { a: '2' }), '&force=true');
      expect(after.data).toEqual({ a: '2', b: '1' });
      expect(ownersOf(after)).toEqual([
        { manager: 'me', operation: 'Apply', fieldsV1: { 'f:data': { 'f:b': {} } } },
        { manager: 'you', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } },
      ]);
    },
  },
  {
    title: 'a conflict with who updated says with which version, and when',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', `${configMaps(namespace)}?fieldManager=editor`, configMap('x', { a: '1' }));
      const answer = await apply(t, configMaps(namespace, 'x'), 'me', configMap('x', { a: '2' }));
      expectRefusal(answer, {
        code: 409,
        message: /^Apply failed with 1 conflict: conflict with "editor" using v1( at \S+)?: \.data\.a$/,
      });
    },
  },
  {
    title: 'an update takes over the fields that it changes',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', configMap('x', { a: '1', b: '1' }));
      const after = await t.must('PUT', `${path}?fieldManager=editor`, configMap('x', { a: '2', b: '1' }));
      expect(ownersOf(after)).toEqual([
        { manager: 'me', operation: 'Apply', fieldsV1: { 'f:data': { 'f:b': {} } } },
        { manager: 'editor', operation: 'Update', fieldsV1: { 'f:data': { 'f:a': {} } } },
      ]);
    },
  },
  {
    title: 'a manager that is not named is taken from the user agent',
    run: async (t) => {
      const made = await t.must('POST', configMaps(await t.namespace()), configMap('x', { a: '1' }), {
        'user-agent': 'my-tool/v1.2.3 (linux) extra',
      });
      expect(ownersOf(made)).toEqual([
        { manager: 'my-tool', operation: 'Update', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } },
      ]);
    },
  },
  {
    title: 'managed fields of a status have their subresource',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', `${pods(namespace)}?fieldManager=maker`, pod('p'));
      const status = { ...made.status, phase: 'Running' };
      const after = await t.must('PUT', `${pods(namespace, 'p')}/status?fieldManager=kubelet`, { ...made, status });
      expect(after.metadata.managedFields?.find(({ manager }) => manager === 'kubelet')).toMatchObject({
        operation: 'Update',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:phase': {} } },
      });
    },
  },
  {
    title: 'lists are merged by key: each applier owns its items',
    run: async (t) => {
      const namespace = await t.namespace();
      const path = pods(namespace, 'p');
      await applied(t, path, 'me', pod('p', { tolerations: [{ key: 'a', operator: 'Exists' }] }));
      const after = await applied(t, path, 'you', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
      });
      const mine = after.metadata.managedFields?.find(({ manager }) => manager === 'you');
      expect(mine?.fieldsV1).toEqual({
        'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
      });
    },
  },
  {
    title: 'labels are owned one by one',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', plain({ labels: { a: '1' } }));
      const after = await applied(t, path, 'you', plain({ labels: { b: '2' } }));
      expect(after.metadata.labels).toEqual({ a: '1', b: '2' });
      expect(ownersOf(after)).toEqual([
        { manager: 'me', operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } } },
        { manager: 'you', operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:b': {} } } } },
      ]);
    },
  },
  {
    title: 'finalizers are a set: each applier owns its values',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', plain({ finalizers: ['example.com/a'] }));
      await applied(t, path, 'you', plain({ finalizers: ['example.com/b'] }));
      const after = await applied(t, path, 'me', plain({}));
      expect(after.metadata.finalizers).toEqual(['example.com/b']);
    },
  },
  {
    title: 'apply needs a field manager',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      const answer = await t.request('PATCH', path, configMap('x'), patchType.apply);
      expectRefusal(answer, {
        code: 422,
        reason: 'Invalid',
        message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      });
    },
  },
  {
    title: 'force is for apply only',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const answer = await t.request('PATCH', `${configMaps(namespace, 'x')}?force=true`, {}, patchType.merge);
      expectRefusal(answer, {
        code: 422,
        message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      });
    },
  },
  {
    title: 'an applied object may not carry managed fields',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      const object = configMap('x', {}, { managedFields: [{ manager: 'me', operation: 'Apply', apiVersion: 'v1' }] });
      expectRefusal(await apply(t, path, 'me', object), {
        code: 400,
        reason: 'BadRequest',
        message: 'metadata.managedFields must be nil',
      });
    },
  },
  {
    title: 'an applied object must say what it is',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      expectRefusal(await apply(t, path, 'me', { metadata: { name: 'x' } }), { code: 400, reason: 'BadRequest' });
    },
  },
  {
    title: 'an applied object must have the name of the path',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      expectRefusal(await apply(t, path, 'me', configMap('y')), { code: 400, reason: 'BadRequest' });
      expectRefusal(await apply(t, path, 'me', { apiVersion: 'v1', kind: 'ConfigMap' }), {
        code: 400,
        message: 'the name of the object (x based on URL) was undeterminable: name must be provided',
      });
    },
  },
  {
    title: 'YAML may be applied',
    run: async (t) => {
      const path = `${configMaps(await t.namespace(), 'x')}?fieldManager=me`;
      const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: "1"\n';
      expect((await t.must('PATCH', path, yaml, patchType.apply)).data).toEqual({ a: '1' });
    },
  },
  {
    title: 'a dry run of apply shows the outcome and stores nothing',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', configMap('x', { a: '1' }));
      const dry = await applied(t, path, 'me', configMap('x', { a: '2' }), '&dryRun=All');
      expect(dry.data).toEqual({ a: '2' });
      expect((await t.must('GET', path)).data).toEqual({ a: '1' });
    },
  },
  {
    title: 'managed fields can be dropped by writing an empty list',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      await applied(t, path, 'me', configMap('x', { a: '1' }));
      const patch = { metadata: { managedFields: [{}] } };
      const after = await t.must('PATCH', path, patch, patchType.merge);
      expect(after.metadata).not.toHaveProperty('managedFields');
    },
  },
  {
    title: 'an applied unknown field is refused',
    run: async (t) => {
      const path = configMaps(await t.namespace(), 'x');
      expectRefusal(await apply(t, path, 'me', { ...configMap('x'), nonsense: 1 }), {
        code: 500,
        message: /field not declared in schema/,
      });
    },
  },
];
