import { changeDefinition, createWidgets, schemaOf, widgetDefinition } from '../support/custom-resources.ts';
import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { gone } from '../support/retry.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = (t: Target) => `${t.unique('g')}.example.com`;
const text = { type: 'object', properties: { a: { type: 'string' } } };

const refused = async (t: Target, change: (spec: Fields) => Fields) => {
  const definition = widgetDefinition(group(t), { spec: text }) as { spec: Fields };
  return t.request('POST', crds, { ...definition, spec: change(definition.spec) });
};

export const cases: readonly Case[] = [
  {
    title: 'a definition becomes established and its names accepted, and is stored in its storage version',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const { metadata, spec, status } = await t.must('GET', widgets.definitionPath);
      expect(metadata.generation).toBe(1);
      expect(spec).toMatchObject({
        conversion: { strategy: 'None' },
        names: { singular: 'widget', listKind: 'WidgetList' },
      });
      expect(status).toMatchObject({
        acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        storedVersions: ['v1'],
      });
      const conditions = status['conditions'] as { type: string; status: string; reason: string; message: string }[];
      expect(conditions.map(({ type, status: value, reason, message }) => [type, value, reason, message])).toEqual([
        ['NamesAccepted', 'True', 'NoConflicts', 'no conflicts found'],
        ['Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted'],
      ]);
    },
  },
  {
    title: 'names that are left out are derived from the kind',
    run: async (t) => {
      const definition = widgetDefinition(group(t), { spec: text }) as { spec: Fields };
      const made = await t.must('POST', crds, {
        ...definition,
        spec: { ...definition.spec, names: { plural: 'widgets', kind: 'Widget' } },
      });
      expect(made.spec['names']).toEqual({
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
      });
    },
  },
  {
    title: 'a served custom resource appears in discovery with its names and verbs',
    run: async (t) => {
      const widgets = await createWidgets(t, {
        spec: text,
        names: { shortNames: ['wd'], categories: ['all'] },
        version: { subresources: { status: {} } },
      });
      await eventuallyHolds(async () => {
        const list = await t.must('GET', `/apis/${widgets.group}/v1`);
        expect(list['resources']).toEqual([
          {
            name: 'widgets',
            singularName: 'widget',
            namespaced: true,
            kind: 'Widget',
            verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
            shortNames: ['wd'],
            categories: ['all'],
            storageVersionHash: expect.any(String),
          },
          {
            name: 'widgets/status',
            singularName: '',
            namespaced: true,
            kind: 'Widget',
            verbs: ['get', 'patch', 'update'],
          },
        ]);
      });
    },
  },
  {
    title: 'a served custom resource appears in OpenAPI',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const document = await eventually('its document', async () => {
        const answer = await t.request('GET', `/openapi/v3/apis/${widgets.group}/v1`);
        return answer.status === 200 ? (answer.body as { components: { schemas: Fields } }) : undefined;
      });
      const schema = document.components.schemas[`${widgets.group.split('.').toReversed().join('.')}.v1.Widget`];
      expect(schema).toMatchObject({
        type: 'object',
        properties: { spec: { properties: { a: { type: 'string' } } }, kind: { type: 'string' } },
        'x-kubernetes-group-version-kind': [{ group: widgets.group, kind: 'Widget', version: 'v1' }],
      });
    },
  },
  {
    title: 'instances are made, read, changed and deleted, and count generations',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const namespace = await t.namespace();
      const made = await t.must('POST', widgets.path(namespace), widgets.object('w', { a: 'x' }));
      expect(made).toMatchObject({
        apiVersion: widgets.apiVersion,
        kind: 'Widget',
        metadata: { generation: 1 },
        spec: { a: 'x' },
      });
      const changed = await t.must('PUT', widgets.path(namespace, 'w'), { ...made, spec: { a: 'y' } });
      expect(changed.metadata.generation).toBe(2);
      const list = await t.list(widgets.path(namespace));
      expect(list).toMatchObject({ kind: 'WidgetList', apiVersion: widgets.apiVersion });
      expect(list.items).toEqual([changed]);
      expect(await t.must('DELETE', widgets.path(namespace, 'w'))).toMatchObject({
        kind: 'Status',
        details: { name: 'w', group: widgets.group, kind: 'widgets', uid: made.metadata.uid },
      });
    },
  },
  {
    title: 'an update of an instance needs a version',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const namespace = await t.namespace();
      await t.must('POST', widgets.path(namespace), widgets.object('w', { a: 'x' }));
      expectRefusal(await t.request('PUT', widgets.path(namespace, 'w'), widgets.object('w', { a: 'y' })), {
        code: 422,
        message: `widgets.${widgets.group} "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      });
    },
  },
  {
    title: 'strategic merge patches are not for custom resources',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const namespace = await t.namespace();
      await t.must('POST', widgets.path(namespace), widgets.object('w', { a: 'x' }));
      const headers = { 'content-type': 'application/strategic-merge-patch+json' };
      const answer = await t.request('PATCH', widgets.path(namespace, 'w'), { spec: { a: 'y' } }, headers);
      expectRefusal(answer, {
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      });
    },
  },
  {
    title: 'a cluster-scoped custom resource lives outside of namespaces',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text, scope: 'Cluster' });
      const made = await t.must('POST', `/apis/${widgets.apiVersion}/widgets`, widgets.object('w', { a: 'x' }));
      expect(made.metadata).not.toHaveProperty('namespace');
      expect((await t.request('GET', `/apis/${widgets.apiVersion}/namespaces/default/widgets`)).status).toBe(404);
    },
  },
  {
    title: 'a change of the schema is in force for what is written afterwards',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const namespace = await t.namespace();
      const number = { type: 'object', properties: { a: { type: 'integer' } } };
      await changeDefinition(t, widgets, (spec) => ({
        ...spec,
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schemaOf(number) } }],
      }));
      await eventuallyHolds(async () => {
        const answer = await t.request('POST', widgets.path(namespace), widgets.object(t.unique('w'), { a: 'x' }));
        expectRefusal(answer, { code: 422, reason: 'Invalid' });
      });
      await t.must('POST', widgets.path(namespace), widgets.object('fine', { a: 1 }));
    },
  },
  {
    title: 'deleting a definition deletes its instances, then its API',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const namespace = await t.namespace();
      await t.must('POST', widgets.path(namespace), widgets.object('w', { a: 'x' }));
      await t.must('DELETE', widgets.definitionPath);
      await gone(t, widgets.definitionPath);
      await eventuallyHolds(async () => expect((await t.request('GET', widgets.path(namespace))).status).toBe(404));
    },
  },
  {
    title: 'a definition that is being deleted waits for instances with finalizers, and takes no new ones',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const namespace = await t.namespace();
      const held = widgets.object('w', { a: 'x' }, { metadata: { name: 'w', finalizers: ['example.com/hold'] } });
      await t.must('POST', widgets.path(namespace), held);
      await t.must('DELETE', widgets.definitionPath);
      const { status } = await t.must('GET', widgets.definitionPath);
      const conditions = status['conditions'] as { type: string }[];
      expect(conditions.map(({ type }) => type)).toContain('Established');
      await eventuallyHolds(async () => {
        const answer = await t.request('POST', widgets.path(namespace), widgets.object(t.unique('w')));
        expectRefusal(answer, {
          code: 403,
          reason: 'Forbidden',
          message: /create not allowed while custom resource definition is terminating/,
        });
      });
      const waiting = await eventually('the instance to wait', async () => {
        const now = await t.must('GET', widgets.path(namespace, 'w'));
        return now.metadata.deletionTimestamp === undefined ? undefined : now;
      });
      await t.must('PUT', widgets.path(namespace, 'w'), {
        ...waiting,
        metadata: { ...waiting.metadata, finalizers: [] },
      });
      await gone(t, widgets.definitionPath);
    },
  },
  {
    title: 'a definition whose name is not plural.group is refused',
    run: async (t) => {
      const definition = widgetDefinition(group(t), { spec: text });
      const answer = await t.request('POST', crds, { ...definition, metadata: { name: 'gadgets.example.com' } });
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(causesOf(answer)).toEqual([
        expect.stringMatching(
          /^metadata\.name: FieldValueInvalid: Invalid value: "gadgets\.example\.com": must be spec\.names\.plural\+"\."\+spec\.group$/,
        ),
      ]);
    },
  },
  {
    title: 'a definition without a schema is refused',
    run: async (t) => {
      const answer = await refused(t, (spec) => ({ ...spec, versions: [{ name: 'v1', served: true, storage: true }] }));
      expectRefusal(answer, { code: 422 });
      expect(causesOf(answer)).toEqual(['spec.versions[0].schema.openAPIV3Schema: FieldValueRequired: Required value']);
    },
  },
  {
    title: 'a schema that is not structural is refused, part by part',
    run: async (t) => {
      const schema = { properties: { spec: { properties: { a: {} } } } };
      const answer = await refused(t, (spec) => ({
        ...spec,
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      }));
      expectRefusal(answer, { code: 422 });
      expect(causesOf(answer)).toEqual([
        'spec.validation.openAPIV3Schema.properties[spec].properties[a].type: FieldValueRequired: Required value: must not be empty for specified object fields',
        'spec.validation.openAPIV3Schema.properties[spec].type: FieldValueRequired: Required value: must not be empty for specified object fields',
        'spec.validation.openAPIV3Schema.type: FieldValueRequired: Required value: must not be empty at the root',
      ]);
    },
  },
  {
    title: 'a definition needs exactly one storage version',
    run: async (t) => {
      const schema = { openAPIV3Schema: schemaOf(text) };
      const answer = await refused(t, (spec) => ({
        ...spec,
        versions: [{ name: 'v1', served: true, storage: false, schema }],
      }));
      expectRefusal(answer, { code: 422, message: /must have exactly one version marked as storage version/ });
    },
  },
  {
    title: 'a default that does not fit its schema is refused',
    run: async (t) => {
      const schema = {
        openAPIV3Schema: schemaOf({ type: 'object', properties: { n: { type: 'integer', default: 'x' } } }),
      };
      const answer = await refused(t, (spec) => ({
        ...spec,
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      }));
      expectRefusal(answer, {
        code: 422,
        message: /\[n\]\.default: Invalid value: "string": {2}in body must be of type integer: "string"$/,
      });
    },
  },
  {
    title: 'a rule that cannot be compiled is refused with what is wrong',
    run: async (t) => {
      const rules = [{ rule: 'self.nothing > 1' }];
      const schema = { openAPIV3Schema: schemaOf({ ...text, 'x-kubernetes-validations': rules }) };
      const answer = await refused(t, (spec) => ({
        ...spec,
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      }));
      expectRefusal(answer, {
        code: 422,
        message: /x-kubernetes-validations\[0\]\.rule: Invalid value: .*compilation failed/,
      });
    },
  },
  {
    title: 'the scope of a definition cannot be changed',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const now = await t.must('GET', widgets.definitionPath);
      const answer = await t.request('PUT', widgets.definitionPath, {
        ...now,
        spec: { ...now.spec, scope: 'Cluster' },
      });
      expectRefusal(answer, { code: 422, message: /spec\.scope: Invalid value: "Cluster": field is immutable/ });
    },
  },
  {
    title: 'two definitions of one kind in one group: the second does not get its names',
    run: async (t) => {
      const widgets = await createWidgets(t, { spec: text });
      const second = widgetDefinition(widgets.group, {
        spec: text,
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Widget', listKind: 'WidgetList' },
      });
      const name = `gadgets.${widgets.group}`;
      await t.must('POST', crds, { ...second, metadata: { name } });
      await eventuallyHolds(async () => {
        const { status } = await t.must('GET', `${crds}/${name}`);
        expect(status['conditions']).toMatchObject([
          {
            type: 'NamesAccepted',
            status: 'False',
            reason: 'ListKindConflict',
            message: '"WidgetList" is already in use',
          },
          { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
        ]);
      });
    },
  },
];
