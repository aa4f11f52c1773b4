import { createWidgets, sharedWidgets } from '../support/custom-resources.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { patchType } from '../support/objects.ts';
import type { Case, Fields, KubeObject, Target } from '../support/target.ts';

const text = { type: 'string' };
const item = { type: 'object', required: ['name'], properties: { name: text, size: { type: 'integer' }, note: text } };
const widgetsOf = (t: Target) =>
  sharedWidgets(t, 'apply', {
    spec: {
      type: 'object',
      properties: {
        color: text,
        groups: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        steps: { type: 'array', items: item },
        whole: { type: 'object', properties: { a: text, b: text }, 'x-kubernetes-map-type': 'atomic' },
        mode: { ...text, default: 'auto' },
      },
    },
    version: { subresources: { status: {} } },
  });

/** Applies specs by their managers, one after the other, and gives the last answer. */
async function applied(t: Target, ...steps: readonly (readonly [manager: string, spec: Fields])[]) {
  const widgets = await widgetsOf(t);
  const namespace = await t.namespace();
  const path = widgets.path(namespace, 'w');
  let last = await t.request('GET', widgets.path(namespace));
  for (const [manager, spec] of steps)
    last = await t.request('PATCH', `${path}?fieldManager=${manager}`, widgets.object('w', spec), patchType.apply);
  return { widgets, path, last, object: last.body as KubeObject };
}

const ownedBy = (object: KubeObject, manager: string) =>
  object.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1;

/** The versions after each of the writes that change nothing. */
async function versionsAfterNothing(t: Target, path: string, writes: number): Promise<readonly string[]> {
  const versions: string[] = [];
  for (let i = 0; i <= writes; i++) {
    const write = i === 0 ? t.request('GET', path) : t.request('PATCH', path, {}, patchType.merge);
    versions.push(((await write).body as KubeObject).metadata.resourceVersion ?? '');
  }
  return versions;
}

export const cases: readonly Case[] = [
  {
    title: 'annotations of which another owns no more than that they are there stay, unseen, until the next write',
    run: async (t) => {
      const { path, widgets } = await applied(t, ['me', { color: 'red' }]);
      const annotated = { ...widgets.object('w'), metadata: { name: 'w', annotations: { a: 'b' } } };
      await t.request('PATCH', `${path}?fieldManager=you`, { metadata: { annotations: { a: 'x' } } }, patchType.merge);
      await t.request('PATCH', `${path}?fieldManager=me&force=true`, annotated, patchType.apply);
      const { body } = await t.request('PATCH', `${path}?fieldManager=me`, widgets.object('w'), patchType.apply);
      expect((body as KubeObject).metadata.annotations).toBeUndefined();
      const [before, after, again] = await versionsAfterNothing(t, path, 2);
      expect(after).not.toBe(before);
      expect(again).toBe(after);
    },
  },
  ...Object.entries({ labels: {}, annotations: {}, finalizers: [], ownerReferences: [] }).map(
    ([field, value]): Case => ({
      title: `empty ${field} that are applied stay, unseen, until the next write`,
      run: async (t) => {
        const { path, widgets } = await applied(t, ['me', { color: 'red' }]);
        const empty = { ...widgets.object('w', { color: 'red' }), metadata: { name: 'w', [field]: value } };
        const { body } = await t.request('PATCH', `${path}?fieldManager=me`, empty, patchType.apply);
        expect((body as KubeObject).metadata).not.toHaveProperty(field);
        const [before, after, again] = await versionsAfterNothing(t, path, 2);
        expect(after).not.toBe(before);
        expect(again).toBe(after);
      },
    }),
  ),
  {
    title: 'empty labels in what an apply creates stay, unseen, until the next write',
    run: async (t) => {
      const widgets = await widgetsOf(t);
      const path = widgets.path(await t.namespace(), 'w');
      const empty = { ...widgets.object('w', { color: 'red' }), metadata: { name: 'w', labels: {} } };
      await t.request('PATCH', `${path}?fieldManager=me`, empty, patchType.apply);
      const [before, after, again] = await versionsAfterNothing(t, path, 2);
      expect(after).not.toBe(before);
      expect(again).toBe(after);
    },
  },
  {
    title: 'items of a keyed list are merged and owned one by one',
    run: async (t) => {
      const { object } = await applied(
        t,
        ['me', { groups: [{ name: 'a', size: 1 }] }],
        ['you', { groups: [{ name: 'b', size: 2 }] }],
        ['me', { groups: [{ name: 'a', note: 'x' }] }],
      );
      expect(object.spec['groups']).toEqual([
        { name: 'a', note: 'x' },
        { name: 'b', size: 2 },
      ]);
      expect(ownedBy(object, 'me')).toEqual({
        'f:spec': { 'f:groups': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:note': {} } } },
      });
    },
  },
  {
    title: 'an item that its applier leaves out goes, those of others stay',
    run: async (t) => {
      const { object } = await applied(
        t,
        ['me', { groups: [{ name: 'a' }, { name: 'c' }] }],
        ['you', { groups: [{ name: 'b' }] }],
        ['me', { groups: [{ name: 'c' }] }],
      );
      expect(new Set((object.spec['groups'] as { name: string }[]).map(({ name }) => name))).toEqual(
        new Set(['b', 'c']),
      );
    },
  },
  {
    title: 'a conflict inside a keyed list names the key',
    run: async (t) => {
      const { last } = await applied(
        t,
        ['me', { groups: [{ name: 'a', size: 1 }] }],
        ['you', { groups: [{ name: 'a', size: 2 }] }],
      );
      expectRefusal(last, {
        code: 409,
        message: 'Apply failed with 1 conflict: conflict with "me": .spec.groups[name="a"].size',
      });
    },
  },
  {
    title: 'values of a set are merged and owned one by one',
    run: async (t) => {
      const { object } = await applied(
        t,
        ['me', { tags: ['a', 'b'] }],
        ['you', { tags: ['b', 'c'] }],
        ['me', { tags: ['a'] }],
      );
      expect(new Set(object.spec['tags'] as string[])).toEqual(new Set(['a', 'b', 'c']));
      expect(ownedBy(object, 'you')).toEqual({ 'f:spec': { 'f:tags': { 'v:"b"': {}, 'v:"c"': {} } } });
    },
  },
  {
    title: 'a list without a type is owned as a whole',
    run: async (t) => {
      const { last } = await applied(t, ['me', { steps: [{ name: 'a' }] }], ['you', { steps: [{ name: 'b' }] }]);
      expectRefusal(last, { code: 409, message: 'Apply failed with 1 conflict: conflict with "me": .spec.steps' });
    },
  },
  {
    title: 'an atomic map is owned as a whole',
    run: async (t) => {
      const { last } = await applied(t, ['me', { whole: { a: '1' } }], ['you', { whole: { b: '2' } }]);
      expectRefusal(last, { code: 409, message: 'Apply failed with 1 conflict: conflict with "me": .spec.whole' });
    },
  },
  {
    title: 'defaults belong to nobody, and come back when an applier lets go',
    run: async (t) => {
      const { object } = await applied(t, ['me', { color: 'red', mode: 'manual' }], ['me', { color: 'red' }]);
      expect(object.spec).toEqual({ color: 'red', mode: 'auto' });
      expect(ownedBy(object, 'me')).toEqual({ 'f:spec': { 'f:color': {} } });
    },
  },
  {
    title: 'a status is applied through its subresource, and owned there',
    run: async (t) => {
      const { widgets, path } = await applied(t, ['me', { color: 'red' }]);
      const body = {
        apiVersion: widgets.apiVersion,
        kind: 'Widget',
        metadata: { name: 'w' },
        status: { phase: 'Fine' },
      };
      const after = await t.must('PATCH', `${path}/status?fieldManager=controller`, body, patchType.apply);
      expect(after).toMatchObject({ spec: { color: 'red' }, status: { phase: 'Fine' } });
      expect(after.metadata.managedFields?.find(({ manager }) => manager === 'controller')).toMatchObject({
        operation: 'Apply',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:phase': {} } },
      });
    },
  },
  {
    title: 'what an applier removes from a status stays out of reach of who applies the object',
    run: async (t) => {
      const { widgets, path } = await applied(t, ['me', { color: 'red' }]);
      const status = { ...widgets.object('w', { color: 'blue' }), status: { phase: 'Fine' } };
      await t.must('PATCH', `${path}/status?fieldManager=controller`, { ...status, spec: undefined }, patchType.apply);
      const after = await t.must('PATCH', `${path}?fieldManager=me`, { ...status, status: {} }, patchType.apply);
      expect(after).toMatchObject({ spec: { color: 'blue' }, status: { phase: 'Fine' } });
    },
  },
  {
    title: 'an applied unknown field is refused',
    run: async (t) => {
      const { last } = await applied(t, ['me', { color: 'red', nonsense: 1 }]);
      expectRefusal(last, { code: 500, message: /\.spec\.nonsense: field not declared in schema$/ });
    },
  },
  {
    title: 'an update by somebody else takes fields over from an applier',
    run: async (t) => {
      const { path, object } = await applied(t, ['me', { color: 'red', tags: ['a'] }]);
      const after = await t.must('PUT', `${path}?fieldManager=editor`, {
        ...object,
        spec: { ...object.spec, color: 'blue' },
      });
      expect(ownedBy(after, 'editor')).toEqual({ 'f:spec': { 'f:color': {} } });
      expect(ownedBy(after, 'me')).toEqual({ 'f:spec': { 'f:tags': { 'v:"a"': {} } } });
    },
  },
  {
    title: 'the owners of a custom resource are forgotten for a list with an empty entry, not for an empty list',
    run: async (t) => {
      const widgets = await createWidgets(t);
      const namespace = await t.namespace();
      const path = widgets.path(namespace, 'w');
      const { metadata } = await t.must('POST', widgets.path(namespace), widgets.object('w', { size: 1 }));
      const patch = (managedFields: readonly Fields[]) =>
        t.must('PATCH', path, { metadata: { managedFields } }, patchType.merge);
      expect((await patch([])).metadata.managedFields).toEqual(metadata.managedFields);
      expect((await patch([{}])).metadata.managedFields).toBeUndefined();
    },
  },
];
