import {
  type CustomResource,
  changeDefinition,
  createWidgets,
  schemaOf,
  sharedWidgets,
} from '../support/custom-resources.ts';
import { eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { patchType } from '../support/objects.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const spec: Fields = {
  type: 'object',
  properties: {
    min: { type: 'integer' },
    max: { type: 'integer' },
    name: {
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'the name is for ever' }],
    },
    kind: {
      type: 'string',
      maxLength: 20,
      'x-kubernetes-validations': [
        { rule: "self.startsWith('k')", messageExpression: "'no k at the start of ' + self" },
      ],
    },
    items: {
      type: 'array',
      maxItems: 10,
      items: { type: 'object', properties: { weight: { type: 'integer' } } },
      'x-kubernetes-validations': [{ rule: 'self.all(item, item.weight > 0)', message: 'weights are positive' }],
    },
    labels: {
      type: 'object',
      maxProperties: 5,
      additionalProperties: { type: 'string', maxLength: 10 },
      'x-kubernetes-validations': [
        { rule: "!('forbidden' in self)", reason: 'FieldValueForbidden', message: 'not this one' },
      ],
    },
    optional: { type: 'string' },
    quantity: {
      type: 'string',
      maxLength: 20,
      'x-kubernetes-validations': [{ rule: "quantity(self).isGreaterThan(quantity('1Gi'))" }],
    },
    url: {
      type: 'string',
      maxLength: 100,
      'x-kubernetes-validations': [{ rule: "isURL(self) && url(self).getScheme() == 'https'", message: 'https only' }],
    },
    grows: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'may only grow' }] },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.min) || !has(self.max) || self.min <= self.max', message: 'min is above max' },
    { rule: "!has(self.optional) || self.optional != 'bad'", message: 'optional is bad', fieldPath: '.optional' },
    { rule: 'has(self.name) || !has(oldSelf.name)', message: 'the name may not be taken away' },
  ],
};

const widgetsOf = (t: Target) => sharedWidgets(t, 'rules', { spec });

async function sent(t: Target, value: Fields) {
  const widgets = await widgetsOf(t);
  return t.request('POST', widgets.path(await t.namespace()), widgets.object('w', value));
}

async function changed(t: Target, before: Fields, patch: Fields) {
  const widgets: CustomResource = await widgetsOf(t);
  const namespace = await t.namespace();
  await t.must('POST', widgets.path(namespace), widgets.object('w', before));
  return t.request('PATCH', widgets.path(namespace, 'w'), { spec: patch }, patchType.merge);
}

const refusals: Readonly<Record<string, readonly [value: Fields, cause: string]>> = {
  'a rule over two fields': [{ min: 5, max: 1 }, 'spec: FieldValueInvalid: Invalid value: min is above max'],
  'a rule with a field path': [{ optional: 'bad' }, 'spec.optional: FieldValueInvalid: Invalid value: optional is bad'],
  'a rule with a computed message': [
    { kind: 'other' },
    'spec.kind: FieldValueInvalid: Invalid value: "other": no k at the start of other',
  ],
  'a rule over all items': [
    { items: [{ weight: 1 }, { weight: 0 }] },
    'spec.items: FieldValueInvalid: Invalid value: weights are positive',
  ],
  'a rule with a reason': [{ labels: { forbidden: 'x' } }, 'spec.labels: FieldValueForbidden: Forbidden: not this one'],
  'a rule over quantities, without a message': [
    { quantity: '1Mi' },
    'spec.quantity: FieldValueInvalid: Invalid value: "1Mi": failed rule: quantity(self).isGreaterThan(quantity(\'1Gi\'))',
  ],
  'a rule over URLs': [
    { url: 'http://example.com' },
    'spec.url: FieldValueInvalid: Invalid value: "http://example.com": https only',
  ],
};

export const cases: readonly Case[] = [
  ...Object.entries(refusals).map(
    ([what, [value, cause]]): Case => ({
      title: `${what} refuses what breaks it`,
      run: async (t) => {
        const answer = await sent(t, value);
        expectRefusal(answer, { code: 422, reason: 'Invalid' });
        expect(causesOf(answer)).toEqual([cause]);
      },
    }),
  ),
  {
    title: 'what keeps all rules is stored',
    run: async (t) => {
      const value = {
        min: 1,
        max: 1,
        name: 'x',
        kind: 'kite',
        items: [{ weight: 1 }],
        labels: { a: 'b' },
        quantity: '2Gi',
        url: 'https://example.com/x',
      };
      expect((await sent(t, value)).status).toBe(201);
    },
  },
  {
    title: 'a transition rule does not apply to a create',
    run: async (t) => expect((await sent(t, { name: 'first', grows: -5 })).status).toBe(201),
  },
  {
    title: 'a transition rule refuses a change',
    run: async (t) => {
      const answer = await changed(t, { name: 'a' }, { name: 'b' });
      expectRefusal(answer, { code: 422 });
      expect(causesOf(answer)).toEqual(['spec.name: FieldValueInvalid: Invalid value: "b": the name is for ever']);
    },
  },
  {
    title: 'a transition rule on the parent sees a field that is taken away',
    run: async (t) => {
      const answer = await changed(t, { name: 'a' }, { name: null });
      expect(causesOf(answer)).toEqual(['spec: FieldValueInvalid: Invalid value: the name may not be taken away']);
    },
  },
  {
    title: 'a transition rule lets a permitted change through',
    run: async (t) => {
      expect((await changed(t, { grows: 1 }, { grows: 2 })).status).toBe(200);
      const answer = await changed(t, { grows: 2 }, { grows: 1 });
      expect(causesOf(answer)).toEqual(['spec.grows: FieldValueInvalid: Invalid value: 1: may only grow']);
    },
  },
  {
    title: 'rules are not asked where the schema is broken already',
    run: async (t) => {
      const answer = await sent(t, { min: 'x', max: 1 });
      expect(causesOf(answer).some((cause) => cause.includes('min is above max'))).toBe(false);
    },
  },
  {
    title: 'a value that breaks a rule which is younger than it may stay while something else changes',
    run: async (t) => {
      const old = { type: 'object', properties: { size: { type: 'integer' }, note: { type: 'string' } } };
      const widgets = await createWidgets(t, { spec: old });
      const namespace = await t.namespace();
      await t.must('POST', widgets.path(namespace), widgets.object('w', { size: 1 }));
      const size = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 5', message: 'too small' }] };
      const strict = { openAPIV3Schema: schemaOf({ ...old, properties: { ...old.properties, size } }) };
      await changeDefinition(t, widgets, (definition) => ({
        ...definition,
        versions: [{ name: 'v1', served: true, storage: true, schema: strict }],
      }));
      await eventuallyHolds(async () => {
        const answer = await t.request('POST', widgets.path(namespace), widgets.object(t.unique('w'), { size: 1 }));
        expectRefusal(answer, { code: 422, message: /too small$/ });
      });
      const path = widgets.path(namespace, 'w');
      await t.must('PATCH', path, { spec: { note: 'changed' } }, patchType.merge);
      expectRefusal(await t.request('PATCH', path, { spec: { size: 2 } }, patchType.merge), { code: 422 });
    },
  },
];
