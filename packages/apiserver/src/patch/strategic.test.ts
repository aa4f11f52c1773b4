import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../object/json.ts';
import type { Schema } from '../object/schema.ts';
import { applyStrategicMergePatch } from './strategic.ts';

const keyed = (key: string, more: Schema = {}): Schema => ({
  type: 'array',
  items: { type: 'object', additionalProperties: true, ...more },
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': key,
});
const schema: Schema = {
  type: 'object',
  properties: {
    items: keyed('name', { properties: { env: keyed('name'), args: { type: 'array', items: { type: 'string' } } } }),
    names: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
    plain: { type: 'array', items: { type: 'string' } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    whole: { type: 'object', additionalProperties: true, 'x-kubernetes-patch-strategy': 'replace' },
  },
};
const patch = (document: JsonObject, body: unknown) => applyStrategicMergePatch(document, body, schema, (each) => each);

describe('applyStrategicMergePatch()', () => {
  const items = (...names: readonly string[]) => names.map((name) => ({ name }));
  const cases: Readonly<Record<string, readonly [JsonObject, JsonObject, JsonObject]>> = {
    'merges lists by key, to any depth': [
      { items: [{ name: 'a', args: ['1'], env: [{ name: 'E', value: '1' }] }] },
      { items: [{ name: 'a', args: ['2'], env: [{ name: 'F', value: '2' }] }] },
      {
        items: [
          {
            name: 'a',
            args: ['2'],
            env: [
              { name: 'F', value: '2' },
              { name: 'E', value: '1' },
            ],
          },
        ],
      },
    ],
    "puts the patch's items in its own order and the others where they were": [
      { items: items('a', 'b', 'c', 'd') },
      { items: items('d', 'b') },
      { items: items('a', 'c', 'd', 'b') },
    ],
    'merges plain values as a set': [{ names: ['a', 'b'] }, { names: ['c', 'b'] }, { names: ['c', 'a', 'b'] }],
    'replaces lists without a strategy': [{ plain: ['a'] }, { plain: ['b'] }, { plain: ['b'] }],
    'replaces objects with the replace strategy': [{ whole: { a: 1 } }, { whole: { b: 1 } }, { whole: { b: 1 } }],
    'deletes an item': [
      { items: items('a', 'b') },
      { items: [{ name: 'a', $patch: 'delete' }] },
      { items: items('b') },
    ],
    'replaces a whole list': [
      { items: items('a', 'b') },
      { items: [{ $patch: 'replace' }, { name: 'c' }] },
      { items: items('c') },
    ],
    'replaces an object': [{ map: { a: '1', b: '2' } }, { map: { $patch: 'replace', c: '3' } }, { map: { c: '3' } }],
    'empties an object': [{ map: { a: '1' } }, { map: { $patch: 'delete' } }, { map: {} }],
    'leaves out what carries a directive where there is nothing yet': [
      {},
      { map: { $patch: 'replace', a: '1' }, items: [{ name: 'a', $patch: 'delete' }, { name: 'b' }] },
      { items: items('b') },
    ],
    'retains only the keys named': [
      { map: { a: '1', b: '2' } },
      { map: { $retainKeys: ['a'], a: '3' } },
      { map: { a: '3' } },
    ],
    'deletes from lists of plain values': [
      { names: ['a', 'b', 'c'] },
      { '$deleteFromPrimitiveList/names': ['b', 'z'] },
      { names: ['a', 'c'] },
    ],
    'sets the order of a list': [
      { items: items('a', 'b', 'c') },
      { '$setElementOrder/items': items('c', 'a') },
      { items: items('b', 'c', 'a') },
    ],
    'sets the order of a list that it changes': [
      { names: ['a', 'b'] },
      { '$setElementOrder/names': ['c', 'b', 'a'], names: ['c'] },
      { names: ['c', 'b', 'a'] },
    ],
    'removes what is null': [{ map: { a: '1' }, plain: [] }, { map: { a: null, b: null }, plain: null }, { map: {} }],
  };
  it.each(Object.entries(cases))('%s', (_, [document, body, expected]) => {
    expect(patch(document, body)).toEqual(expected);
  });

  it('takes null for no change', () => {
    const document = { plain: ['a'] };
    expect(patch(document, null)).toBe(document);
  });

  const document: JsonObject = { items: items('a'), names: ['a'], map: { a: '1' } };
  const refusals: Readonly<Record<string, readonly [number, unknown]>> = {
    'json: cannot unmarshal array into Go value of type map[string]interface {}': [400, []],
    'invalid patch format of retainKeys': [400, { map: { $retainKeys: ['a'], b: '1' } }],
    'invalid patch format of primitive list': [400, { $deleteFromPrimitiveList: ['x'] }],
    'invalid patch format of setElementOrder list': [400, { $setElementOrder: ['x'] }],
    'map: map[image:x] does not contain declared merge key: name': [500, { items: [{ image: 'x' }] }],
    'unknown patch type: frob in map: map[$patch:frob name:a]': [500, { items: [{ name: 'a', $patch: 'frob' }] }],
    'unknown patch type: frob in map: map[$patch:frob]': [500, { map: { $patch: 'frob' } }],
    'merging lists cannot yet be specified in the patch': [500, { items: [{ name: 'a', $patch: 'merge' }] }],
    'list element types are not identical: [[a] [<nil>]]': [500, { names: [null] }],
  };
  it.each(Object.entries(refusals))('says "%s"', (message, [code, body]) => {
    expect(() => patch(document, body)).toThrow(expect.objectContaining({ code, message }));
  });

  it('refuses an order that the patch does not follow', () => {
    const body = { '$setElementOrder/names': ['x', 'y'], names: ['y', 'x'] };
    expect(() => patch(document, body)).toThrow(
      expect.objectContaining({
        code: 500,
        message: "The order in patch list:\n[y x]\n doesn't match $setElementOrder list:\n[x y]\n",
      }),
    );
  });
});
