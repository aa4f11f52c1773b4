import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap, patchType } from '../support/objects.ts';
import { configMaps } from '../support/paths.ts';
import type { Case, Target } from '../support/target.ts';

type Operation = Readonly<Record<string, unknown>>;

const effects: Readonly<Record<string, readonly [operations: readonly Operation[], data: object]>> = {
  'add sets a new key': [[{ op: 'add', path: '/data/c', value: '3' }], { a: '1', b: '2', c: '3' }],
  'add replaces a key that is there': [[{ op: 'add', path: '/data/a', value: '9' }], { a: '9', b: '2' }],
  'remove takes a key away': [[{ op: 'remove', path: '/data/a' }], { b: '2' }],
  'replace replaces': [[{ op: 'replace', path: '/data/a', value: '9' }], { a: '9', b: '2' }],
  'move renames a key': [[{ op: 'move', from: '/data/a', path: '/data/c' }], { b: '2', c: '1' }],
  'copy copies a key': [[{ op: 'copy', from: '/data/a', path: '/data/c' }], { a: '1', b: '2', c: '1' }],
  'a test that holds lets the rest through': [
    [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'remove', path: '/data/b' },
    ],
    { a: '1' },
  ],
  'replace sets a key that is not there too': [
    [{ op: 'replace', path: '/data/c', value: '3' }],
    { a: '1', b: '2', c: '3' },
  ],
};

const failures: Readonly<
  Record<string, readonly [operations: unknown, refusal: { code: number; message: string | RegExp }]>
> = {
  'a test that does not hold': [
    [{ op: 'test', path: '/data/a', value: '2' }],
    { code: 422, message: 'the server rejected our request due to an error in our request' },
  ],
  'a removal of what is not there': [
    [{ op: 'remove', path: '/data/nothing' }],
    { code: 422, message: 'the server rejected our request due to an error in our request' },
  ],
  'an addition below what is not there': [
    [{ op: 'add', path: '/metadata/annotations/x', value: '1' }],
    { code: 422, message: 'the server rejected our request due to an error in our request' },
  ],
  'an unknown operation': [
    [{ op: 'improve', path: '/data/a' }],
    { code: 422, message: 'the server rejected our request due to an error in our request' },
  ],
  'an object where a list belongs': [
    { op: 'remove', path: '/data/a' },
    {
      code: 400,
      message:
        /^error decoding patch: json: cannot unmarshal object into Go value of type (jsonpatch\.Patch|\[\]handlers\.jsonPatchOp)$/,
    },
  ],
};

async function patched(t: Target, operations: unknown) {
  const namespace = await t.namespace();
  await t.must('POST', configMaps(namespace), configMap('x', { a: '1', b: '2' }));
  return t.request('PATCH', configMaps(namespace, 'x'), operations, patchType.json);
}

export const cases: readonly Case[] = [
  ...Object.entries(effects).map(
    ([what, [operations, data]]): Case => ({
      title: what,
      run: async (t) => {
        const answer = await patched(t, operations);
        expect(answer.status).toBe(200);
        expect(answer.body).toMatchObject({ data });
        expect((answer.body as { data: object }).data).toEqual(data);
      },
    }),
  ),
  ...Object.entries(failures).map(
    ([what, [operations, refusal]]): Case => ({
      title: `${what} is refused`,
      run: async (t) => expectRefusal(await patched(t, operations), refusal),
    }),
  ),
  {
    title: 'nothing of a patch is stored where one operation fails',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }));
      const operations = [
        { op: 'add', path: '/data/b', value: '2' },
        { op: 'test', path: '/data/a', value: 'no' },
      ];
      expectRefusal(await t.request('PATCH', configMaps(namespace, 'x'), operations, patchType.json), { code: 422 });
      expect((await t.must('GET', configMaps(namespace, 'x'))).data).toEqual({ a: '1' });
    },
  },
  {
    title: 'list items are added before an index, at the end, and removed by index',
    run: async (t) => {
      const namespace = await t.namespace();
      const finalizers = ['example.com/a', 'example.com/b'];
      await t.must('POST', configMaps(namespace), configMap('x', {}, { finalizers }));
      const operations = [
        { op: 'add', path: '/metadata/finalizers/1', value: 'example.com/m' },
        { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/z' },
        { op: 'remove', path: '/metadata/finalizers/0' },
      ];
      const after = await t.must('PATCH', configMaps(namespace, 'x'), operations, patchType.json);
      expect(after.metadata.finalizers).toEqual(['example.com/m', 'example.com/b', 'example.com/z']);
    },
  },
  {
    title: 'a slash in a key is written ~1',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x', {}, { annotations: { a: 'b' } }));
      const operations = [{ op: 'add', path: '/metadata/annotations/example.com~1x', value: 'y' }];
      const after = await t.must('PATCH', configMaps(namespace, 'x'), operations, patchType.json);
      expect(after.metadata.annotations).toEqual({ a: 'b', 'example.com/x': 'y' });
    },
  },
  {
    title: 'a test of the version makes a patch conditional',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const operations = [
        { op: 'test', path: '/metadata/resourceVersion', value: '1' },
        { op: 'add', path: '/data', value: { a: '1' } },
      ];
      expectRefusal(await t.request('PATCH', configMaps(namespace, 'x'), operations, patchType.json), { code: 422 });
    },
  },
  {
    title: 'a patch of what does not exist is not found',
    run: async (t) =>
      expectRefusal(await t.request('PATCH', configMaps(await t.namespace(), 'x'), [], patchType.json), {
        code: 404,
        reason: 'NotFound',
      }),
  },
  {
    title: 'a patch that changes nothing keeps the version',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), configMap('x', { a: '1' }));
      const operations = [{ op: 'replace', path: '/data/a', value: '1' }];
      const after = await t.must('PATCH', configMaps(namespace, 'x'), operations, patchType.json);
      expect(after.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    },
  },
];
