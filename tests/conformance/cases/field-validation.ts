import { expect } from '../support/expect.ts';
import { expectRefusal, warningsOf } from '../support/expect-status.ts';
import { configMap, patchType } from '../support/objects.ts';
import { configMaps, pods } from '../support/paths.ts';
import type { Case, Fields } from '../support/target.ts';

const odd: Fields = {
  metadata: { name: 'p', nope: 1 },
  spec: { containers: [{ name: 'main', image: 'x', imagee: 'y' }], extra: true },
};
const twice = '{"metadata":{"name":"x"},"data":{"a":"1"},"data":{"a":"2"}}';

export const cases: readonly Case[] = [
  {
    title: 'unknown fields are warned of by default, and dropped',
    run: async (t) => {
      const answer = await t.request('POST', pods(await t.namespace()), odd);
      expect(answer.status).toBe(201);
      expect(warningsOf(answer)).toEqual([
        'unknown field "metadata.nope"',
        'unknown field "spec.containers[0].imagee"',
        'unknown field "spec.extra"',
      ]);
      expect(answer.text).not.toContain('imagee');
    },
  },
  {
    title: 'warnings carry any character, as UTF-8 in quoted strings',
    run: async (t) => {
      const fields = { 'zähler€': 1, '🦈': 1, 'a"b\\c': 1, 'line\nbreak': 1 };
      const answer = await t.request('POST', configMaps(await t.namespace()), { metadata: { name: 'x' }, ...fields });
      expect(answer.status).toBe(201);
      const header = Buffer.from(String(answer.headers['warning']), 'latin1').toString('utf8');
      expect(warningsOf({ ...answer, headers: { warning: header } })).toEqual([
        'unknown field "zähler€"',
        'unknown field "🦈"',
        'unknown field "a\\"b\\\\c"',
        'unknown field "line\\nbreak"',
      ]);
    },
  },
  {
    title: 'many warnings are cut short',
    run: async (t) => {
      const fields = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}-${'x'.repeat(300)}`, 1]));
      const answer = await t.request('POST', configMaps(await t.namespace()), { metadata: { name: 'x' }, ...fields });
      expect(answer.status).toBe(201);
      const warnings = warningsOf(answer);
      expect(warnings.length).toBe(16);
      expect(warnings[0]).toBe(`unknown field "f0-${'x'.repeat(238)}`);
    },
  },
  {
    title: 'unknown fields are passed over in silence with Ignore',
    run: async (t) => {
      const answer = await t.request('POST', `${pods(await t.namespace())}?fieldValidation=Ignore`, odd);
      expect(answer.status).toBe(201);
      expect(warningsOf(answer)).toEqual([]);
    },
  },
  {
    title: 'unknown fields are refused with Strict, all of them named',
    run: async (t) => {
      const answer = await t.request('POST', `${pods(await t.namespace())}?fieldValidation=Strict`, odd);
      expectRefusal(answer, {
        code: 400,
        reason: 'BadRequest',
        message:
          'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "metadata.nope", unknown field "spec.containers[0].imagee", unknown field "spec.extra"',
      });
    },
  },
  {
    title: 'a duplicate field is warned of, and the last one counts',
    run: async (t) => {
      const answer = await t.request('POST', configMaps(await t.namespace()), twice);
      expect(warningsOf(answer)).toEqual(['duplicate field "data"']);
      expect(answer.body).toMatchObject({ data: { a: '2' } });
    },
  },
  {
    title: 'a duplicate field is refused with Strict',
    run: async (t) => {
      const answer = await t.request('POST', `${configMaps(await t.namespace())}?fieldValidation=Strict`, twice);
      expectRefusal(answer, {
        code: 400,
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data"',
      });
    },
  },
  {
    title: 'an update with an unknown field is warned of or refused likewise',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const body = { ...configMap('x', { a: '1' }), odd: 1 };
      const warned = await t.request('PUT', configMaps(namespace, 'x'), body);
      expect(warned.status).toBe(200);
      expect(warningsOf(warned)).toEqual(['unknown field "odd"']);
      expectRefusal(await t.request('PUT', `${configMaps(namespace, 'x')}?fieldValidation=Strict`, body), {
        code: 400,
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "odd"',
      });
    },
  },
  {
    title: 'a merge patch with an unknown field is warned of or refused likewise',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const path = configMaps(namespace, 'x');
      const warned = await t.request('PATCH', path, { odd: 1 }, patchType.merge);
      expect(warned.status).toBe(200);
      expect(warningsOf(warned)).toEqual(['unknown field "odd"']);
      expectRefusal(await t.request('PATCH', `${path}?fieldValidation=Strict`, { odd: 1 }, patchType.merge), {
        code: 422,
        reason: 'Invalid',
        message: / "" is invalid: patch: Invalid value: .*strict decoding error: unknown field "odd"$/,
      });
    },
  },
  {
    title: 'a JSON patch with an unknown field is refused with Strict',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const operations = [{ op: 'add', path: '/odd', value: 1 }];
      const path = `${configMaps(namespace, 'x')}?fieldValidation=Strict`;
      expectRefusal(await t.request('PATCH', path, operations, patchType.json), {
        code: 422,
        message: /strict decoding error: unknown field "odd"$/,
      });
    },
  },
  {
    title: 'an unknown kind of validation is refused',
    run: async (t) => {
      const answer = await t.request('POST', `${configMaps(await t.namespace())}?fieldValidation=Lax`, configMap('x'));
      expectRefusal(answer, {
        code: 422,
        message:
          'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Lax": supported values: "", "Ignore", "Strict", "Warn"',
      });
    },
  },
  {
    title: 'field names that differ only by case are not known',
    run: async (t) => {
      const answer = await t.request('POST', configMaps(await t.namespace()), {
        metadata: { name: 'x' },
        Data: { a: '1' },
      });
      expect(warningsOf(answer)).toEqual(['unknown field "Data"']);
      expect(answer.body).not.toHaveProperty('data');
    },
  },
];
