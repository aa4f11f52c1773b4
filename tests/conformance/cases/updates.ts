import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { patchType, pod } from '../support/objects.ts';
import { configMaps, core, grouped, pods } from '../support/paths.ts';
import type { Case, Fields, Target } from '../support/target.ts';

async function patched(t: Target, path: (namespace: string, name?: string) => string, object: Fields, patch: Fields) {
  const namespace = await t.namespace();
  const made = await t.must('POST', path(namespace), object);
  return t.request('PATCH', path(namespace, made.metadata.name), patch, patchType.merge);
}

const claims = (namespace: string, name?: string) => core(namespace, 'persistentvolumeclaims', name);
const secrets = (namespace: string, name?: string) => core(namespace, 'secrets', name);
const claim = {
  metadata: { name: 'c' },
  spec: { storageClassName: 's', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const refusals: Readonly<
  Record<
    string,
    readonly [
      path: (namespace: string, name?: string) => string,
      object: Fields,
      patch: Fields,
      causes: readonly (string | RegExp)[],
    ]
  >
> = {
  'data of an immutable config map': [
    configMaps,
    { metadata: { name: 'x' }, data: { a: '1' }, immutable: true },
    { data: { a: '2' } },
    ['data: FieldValueForbidden: Forbidden: field is immutable when `immutable` is set'],
  ],
  'the immutability of a config map': [
    configMaps,
    { metadata: { name: 'x' }, immutable: true },
    { immutable: false },
    ['immutable: FieldValueForbidden: Forbidden: field is immutable when `immutable` is set'],
  ],
  'the type of a secret': [
    secrets,
    { metadata: { name: 'x' } },
    { type: 'example.com/other' },
    ['type: FieldValueInvalid: Invalid value: "example.com/other": field is immutable'],
  ],
  'the storage class of a claim': [
    claims,
    claim,
    { spec: { storageClassName: 'other' } },
    [/^spec: FieldValueForbidden: Forbidden: spec is immutable after creation/],
  ],
  'a disruption budget to more than all': [
    (namespace, name) => grouped('policy/v1', namespace, 'poddisruptionbudgets', name),
    { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: {} } },
    { spec: { minAvailable: '150%' } },
    ['spec.minAvailable: FieldValueInvalid: Invalid value: "150%": must not be greater than 100%'],
  ],
  'the role of a binding': [
    (namespace, name) => grouped('rbac.authorization.k8s.io/v1', namespace, 'rolebindings', name),
    { metadata: { name: 'b' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' } },
    { roleRef: { name: 'z' } },
    [/^roleRef: FieldValueInvalid: Invalid value: .*: cannot change roleRef$/],
  ],
  'the deadline of a pod to a later one': [
    pods,
    pod('p', { activeDeadlineSeconds: 10 }),
    { spec: { activeDeadlineSeconds: 20 } },
    ['spec.activeDeadlineSeconds: FieldValueInvalid: Invalid value: 20: must be less than or equal to previous value'],
  ],
  'the tolerations of a pod to fewer': [
    pods,
    pod('p', { tolerations: [{ key: 'a', operator: 'Exists' }] }),
    { spec: { tolerations: [] } },
    [
      /^spec\.tolerations: FieldValueForbidden: Forbidden: existing toleration can not be modified except its tolerationSeconds/,
    ],
  ],
  'the number of containers of a pod': [
    pods,
    pod('p'),
    {
      spec: {
        containers: [
          { name: 'a', image: 'x' },
          { name: 'b', image: 'x' },
        ],
      },
    },
    [/^spec\.containers: FieldValueForbidden: Forbidden: pod updates may not add or remove containers$/],
  ],
};

export const cases: readonly Case[] = [
  ...Object.entries(refusals).map(
    ([what, [path, object, patch, causes]]): Case => ({
      title: `changing ${what} is refused`,
      run: async (t) => {
        const answer = await patched(t, path, object, patch);
        expectRefusal(answer, { code: 422, reason: 'Invalid' });
        const found = causesOf(answer);
        for (const [index, cause] of causes.entries()) {
          if (typeof cause === 'string') expect(found[index]).toBe(cause);
          else expect(found[index]).toMatch(cause);
        }
        expect(found).toHaveLength(causes.length);
      },
    }),
  ),
  {
    title: 'a claim that is not bound may not grow',
    run: async (t) => {
      const answer = await patched(t, claims, claim, { spec: { resources: { requests: { storage: '2Gi' } } } });
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(causesOf(answer)[0]).toMatch(
        /^spec: FieldValueForbidden: Forbidden: spec is immutable after creation except resources\.requests and volumeAttributesClassName for bound claims(\n|$)/,
      );
    },
  },
  {
    title: 'a pod may be given further tolerations, labels, annotations and a new image',
    run: async (t) => {
      const answer = await patched(t, pods, pod('p', { tolerations: [] }), {
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
      });
      expect(answer.body).toMatchObject({ metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, generation: 1 } });
    },
  },
  {
    title: 'a finalizer may be added to a living object',
    run: async (t) => {
      const answer = await patched(
        t,
        configMaps,
        { metadata: { name: 'x' } },
        { metadata: { finalizers: ['example.com/f'] } },
      );
      expect(answer.body).toMatchObject({ metadata: { finalizers: ['example.com/f'] } });
    },
  },
  {
    title: 'creation time, generation and self link of a stored object are kept from change',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', configMaps(namespace), { metadata: { name: 'x' } });
      const metadata = { name: 'x', creationTimestamp: '2001-01-01T00:00:00Z', selfLink: '/x', generation: 5 };
      const after = await t.must('PUT', configMaps(namespace, 'x'), { metadata });
      expect(after.metadata).toEqual(made.metadata);
    },
  },
  {
    title: 'a deletion time cannot be set by an update',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), { metadata: { name: 'x' } });
      const metadata = { name: 'x', deletionTimestamp: '2001-01-01T00:00:00Z' };
      const answer = await t.request('PUT', configMaps(namespace, 'x'), { metadata });
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(new Set(causesOf(answer))).toEqual(
        new Set([
          'metadata.deletionTimestamp: FieldValueInvalid: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
        ]),
      );
    },
  },
  {
    title: 'a key of a secret without a value comes back as an empty one',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', secrets(namespace), { metadata: { name: 's' }, data: { a: null, b: 'eA==' } });
      expect(made.data).toEqual({ a: '', b: 'eA==' });
      expect((await t.must('GET', secrets(namespace, 's'))).data).toEqual({ a: '', b: 'eA==' });
    },
  },
  {
    title: 'of several values that do not fit, a merge patch is refused for the first by its key',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p'));
      const patch = { spec: { restartPolicy: 1, hostname: 2 }, metadata: { labels: { b: 3 } } };
      const answer = await t.request('PATCH', pods(namespace, 'p'), patch, patchType.merge);
      expectRefusal(answer, { code: 422, message: /Go struct field ObjectMeta\.metadata\.labels of type string$/ });
    },
  },
  {
    title: 'of several values that do not fit, a strategic patch is refused for the first by its place in the kind',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p'));
      const patch = {
        data: { k: null },
        spec: { hostname: 2, restartPolicy: 1, containers: [{ name: 'main', image: [] }] },
      };
      const answer = await t.request('PATCH', pods(namespace, 'p'), patch, patchType.strategic);
      expectRefusal(answer, {
        code: 422,
        message:
          ' "" is invalid: patch: Invalid value: "map[data:map[] spec:map[containers:[map[image:[] name:main]] hostname:2 restartPolicy:1]]": unrecognized type: string',
      });
    },
  },
];
