import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { patchType, pod, service } from '../support/objects.ts';
import { pods, services } from '../support/paths.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const template = (spec: Fields) => ({
  metadata: { name: 'x' },
  template: { metadata: { labels: { a: '1', b: '2' }, finalizers: ['example.com/a'] }, spec },
});

const containers = [
  {
    name: 'a',
    image: 'a:1',
    env: [
      { name: 'X', value: '1' },
      { name: 'Y', value: '2' },
    ],
    args: ['1', '2'],
  },
  { name: 'b', image: 'b:1', ports: [{ containerPort: 80 }, { containerPort: 81 }] },
];

/** Patches a pod template, which may be changed freely, and gives the spec inside. */
async function patchedTemplate(t: Target, patch: Fields, spec: Fields = { containers }): Promise<Fields> {
  const path = `/api/v1/namespaces/${await t.namespace()}/podtemplates`;
  await t.must('POST', path, template(spec));
  const after = await t.must('PATCH', `${path}/x`, { template: { spec: patch } }, patchType.strategic);
  return (after['template'] as { spec: Fields }).spec;
}

const namesAndImages = (spec: Fields) =>
  (spec['containers'] as { name: string; image: string }[]).map(({ name, image }) => `${name}=${image}`);

export const cases: readonly Case[] = [
  {
    title: 'list items with the same key are merged, others are added at the front',
    run: async (t) => {
      const spec = await patchedTemplate(t, {
        containers: [
          { name: 'b', image: 'b:2' },
          { name: 'c', image: 'c:1' },
        ],
      });
      expect(new Set(namesAndImages(spec))).toEqual(new Set(['a=a:1', 'b=b:2', 'c=c:1']));
    },
  },
  {
    title: '$patch: delete removes the item with that key',
    run: async (t) => {
      const spec = await patchedTemplate(t, { containers: [{ name: 'a', $patch: 'delete' }] });
      expect(namesAndImages(spec)).toEqual(['b=b:1']);
    },
  },
  {
    title: '$patch: replace in a list replaces the list',
    run: async (t) => {
      const spec = await patchedTemplate(t, { containers: [{ name: 'z', image: 'z:1' }, { $patch: 'replace' }] });
      expect(namesAndImages(spec)).toEqual(['z=z:1']);
    },
  },
  {
    title: '$patch: replace in an object replaces the object',
    run: async (t) => {
      const spec = await patchedTemplate(
        t,
        { nodeSelector: { $patch: 'replace', b: '2' } },
        { containers, nodeSelector: { a: '1' } },
      );
      expect(spec['nodeSelector']).toEqual({ b: '2' });
    },
  },
  {
    title: '$setElementOrder puts list items in order',
    run: async (t) => {
      const spec = await patchedTemplate(t, {
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }],
        containers: [{ name: 'c', image: 'c:1' }],
      });
      expect(namesAndImages(spec)).toEqual(['c=c:1', 'b=b:1', 'a=a:1']);
    },
  },
  {
    title: 'nested lists are merged by their own keys',
    run: async (t) => {
      const spec = await patchedTemplate(t, {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'Y', value: '3' },
              { name: 'X', $patch: 'delete' },
            ],
          },
        ],
      });
      const [first] = spec['containers'] as Fields[];
      expect(first?.['env']).toEqual([{ name: 'Y', value: '3' }]);
    },
  },
  {
    title: 'lists without a key are replaced',
    run: async (t) => {
      const spec = await patchedTemplate(t, { containers: [{ name: 'a', args: ['9'] }] });
      const [first] = spec['containers'] as Fields[];
      expect(first?.['args']).toEqual(['9']);
    },
  },
  {
    title: 'null removes a field and an item with it nothing else',
    run: async (t) => {
      const spec = await patchedTemplate(t, { containers: [{ name: 'b', ports: null }] });
      const containersAfter = spec['containers'] as Fields[];
      expect(containersAfter[1]).not.toHaveProperty('ports');
      expect(namesAndImages(spec)).toEqual(['a=a:1', 'b=b:1']);
    },
  },
  {
    title: '$deleteFromPrimitiveList takes values out of a merged list',
    run: async (t) => {
      const namespace = await t.namespace();
      const finalizers = ['example.com/a', 'example.com/b', 'example.com/c'];
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      await t.must('POST', path, { metadata: { name: 'x', finalizers } });
      const patch = {
        metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/b'], finalizers: ['example.com/d'] },
      };
      const after = await t.must('PATCH', `${path}/x`, patch, patchType.strategic);
      expect(new Set(after.metadata.finalizers)).toEqual(new Set(['example.com/a', 'example.com/c', 'example.com/d']));
    },
  },
  {
    title: '$retainKeys drops what is not retained',
    run: async (t) => {
      const volumes = [{ name: 'v', configMap: { name: 'c' } }];
      const patch = { volumes: [{ name: 'v', $retainKeys: ['name', 'emptyDir'], emptyDir: {} }] };
      const spec = await patchedTemplate(t, patch, { containers, volumes });
      expect(spec['volumes']).toEqual([{ name: 'v', emptyDir: {} }]);
    },
  },
  {
    title: 'ports of a service are merged by port',
    run: async (t) => {
      const namespace = await t.namespace();
      const ports = [
        { name: 'a', port: 80 },
        { name: 'b', port: 81 },
      ];
      await t.must('POST', services(namespace), service('s', { ports }));
      const patch = { spec: { ports: [{ port: 81, targetPort: 9090 }] } };
      const after = await t.must('PATCH', services(namespace, 's'), patch, patchType.strategic);
      expect(after.spec['ports']).toMatchObject([
        { name: 'a', port: 80, targetPort: 80 },
        { name: 'b', port: 81, targetPort: 9090 },
      ]);
    },
  },
  {
    title: 'an item without its key is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p'));
      const patch = { spec: { containers: [{ image: 'x' }] } };
      const answer = await t.request('PATCH', pods(namespace, 'p'), patch, patchType.strategic);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.body).toMatchObject({ message: 'map: map[image:x] does not contain declared merge key: name' });
    },
  },
  {
    title: 'the image of a running pod may be patched, its command may not',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p'));
      const image = { spec: { containers: [{ name: 'main', image: 'registry.example/app:2' }] } };
      const after = await t.must('PATCH', pods(namespace, 'p'), image, patchType.strategic);
      expect(namesAndImages(after.spec)).toEqual(['main=registry.example/app:2']);
      const command = { spec: { containers: [{ name: 'main', command: ['x'] }] } };
      expectRefusal(await t.request('PATCH', pods(namespace, 'p'), command, patchType.strategic), {
        code: 422,
        reason: 'Invalid',
        message:
          /^Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`,`spec.initContainers\[\*\].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` \(only additions to existing tolerations\),`spec.terminationGracePeriodSeconds` \(allow it to be set to 1 if it was previously negative\)(\n|$)/,
      });
    },
  },
];
