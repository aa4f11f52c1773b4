import { type CustomResource, changeDefinition, createWidgets, sharedWidgets } from '../support/custom-resources.ts';
import { eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { warningsOf } from '../support/expect-status.ts';
import { patchType } from '../support/objects.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const text = { type: 'string' };
const version = (name: string, storage: boolean, properties: Fields, more: Fields = {}) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
  ...more,
});
const two = [
  version('v1', true, { old: text, both: text }),
  version('v2', false, { both: text, fresh: { ...text, default: 'yes' } }),
];
const widgetsOf = (t: Target) => sharedWidgets(t, 'versions', { versions: two });

async function stored(t: Target, widgets: CustomResource): Promise<string> {
  const namespace = await t.namespace();
  await t.must('POST', widgets.path(namespace), widgets.object('w', { old: 'o', both: 'b' }));
  return namespace;
}

export const cases: readonly Case[] = [
  {
    title: 'an object is served in each version, under that version',
    run: async (t) => {
      const widgets = await widgetsOf(t);
      const namespace = await stored(t, widgets);
      for (const name of ['v1', 'v2']) {
        const read = await t.must('GET', widgets.path(namespace, 'w', name));
        expect(read.apiVersion).toBe(`${widgets.group}/${name}`);
      }
    },
  },
  {
    title: 'a version shows only its own fields, and fills no default into what was stored in another',
    run: async (t) => {
      const widgets = await widgetsOf(t);
      const namespace = await stored(t, widgets);
      expect((await t.must('GET', widgets.path(namespace, 'w', 'v2'))).spec).toEqual({ both: 'b' });
      expect((await t.must('GET', widgets.path(namespace, 'w', 'v1'))).spec).toEqual({ old: 'o', both: 'b' });
    },
  },
  {
    title: 'a write in one version does what a write in the other would do',
    run: async (t) => {
      const widgets = await widgetsOf(t);
      const namespace = await stored(t, widgets);
      await t.must('PATCH', widgets.path(namespace, 'w', 'v2'), { spec: { both: 'c' } }, patchType.merge);
      expect((await t.must('GET', widgets.path(namespace, 'w'))).spec).toMatchObject({ both: 'c' });
    },
  },
  {
    title: 'a watch of one version sees writes in the other, in its own version',
    run: async (t) => {
      const widgets = await widgetsOf(t);
      const namespace = await t.namespace();
      const { metadata } = await t.list(widgets.path(namespace));
      const watch = await t.watch(
        `${widgets.path(namespace, undefined, 'v2')}?watch=1&resourceVersion=${metadata.resourceVersion}`,
      );
      await t.must('POST', widgets.path(namespace), widgets.object('w', { both: 'b' }));
      const { object } = await watch.next();
      expect(object.apiVersion).toBe(`${widgets.group}/v2`);
      expect(object.spec).toEqual({ both: 'b' });
      watch.close();
    },
  },
  {
    title: 'discovery lists versions by how mature they are',
    run: async (t) => {
      const widgets = await widgetsOf(t);
      await eventuallyHolds(async () =>
        expect(await t.must('GET', `/apis/${widgets.group}`)).toMatchObject({
          versions: [{ version: 'v2' }, { version: 'v1' }],
          preferredVersion: { version: 'v2' },
        }),
      );
    },
  },
  {
    title: 'a version that is no longer served is not found, and what was stored stays',
    run: async (t) => {
      const widgets = await createWidgets(t, { versions: two });
      const namespace = await stored(t, widgets);
      const [first, second] = two;
      await changeDefinition(t, widgets, (spec) => ({ ...spec, versions: [first, { ...second, served: false }] }));
      await eventuallyHolds(async () =>
        expect((await t.request('GET', widgets.path(namespace, 'w', 'v2'))).status).toBe(404),
      );
      expect((await t.must('GET', widgets.path(namespace, 'w'))).spec).toEqual({ old: 'o', both: 'b' });
    },
  },
  {
    title: 'a deprecated version warns with its own words',
    run: async (t) => {
      const deprecated = version('v1', true, {}, { deprecated: true, deprecationWarning: 'use something newer' });
      const widgets = await createWidgets(t, { versions: [deprecated] });
      const answer = await t.request('GET', widgets.path('default'));
      expect(warningsOf(answer)).toEqual(['use something newer']);
    },
  },
  {
    title: 'a new storage version is added to the versions that were stored',
    run: async (t) => {
      const widgets = await createWidgets(t, { versions: two });
      await changeDefinition(t, widgets, (spec) => ({
        ...spec,
        versions: two.map((item) => ({ ...item, storage: item.name === 'v2' })),
      }));
      await eventuallyHolds(async () =>
        expect((await t.must('GET', widgets.definitionPath)).status).toMatchObject({ storedVersions: ['v1', 'v2'] }),
      );
    },
  },
];
