import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { patchType, pod } from '../support/objects.ts';
import { pods } from '../support/paths.ts';
import type { Case, Fields, KubeObject, Target } from '../support/target.ts';

const burstable = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } };
const guaranteed = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
const main = { name: 'main', image: 'x' };

/** Makes a pod with one container; gives the pod and the path of its resize. */
async function made(t: Target, resources: Fields = burstable, spec: Fields = {}) {
  const namespace = await t.namespace();
  const one = await t.must('POST', pods(namespace), pod('p', { containers: [{ ...main, resources }], ...spec }));
  return { one, path: pods(namespace, 'p'), door: `${pods(namespace, 'p')}/resize` };
}

const resize = (resources: Fields): Fields => ({ spec: { containers: [{ name: 'main', resources }] } });
const resourcesOf = ({ spec }: KubeObject) => (spec['containers'] as { resources: Fields }[])[0]?.resources;

const refusals: Readonly<
  Record<string, readonly [resources: Fields, body: Fields, type: keyof typeof patchType, causes: readonly string[]]>
> = {
  'more than the limit': [
    burstable,
    resize({ requests: { cpu: '9' } }),
    'strategic',
    [
      'spec.containers[0].resources.requests: FieldValueInvalid: Invalid value: "9": must be less than or equal to cpu limit of 2',
    ],
  ],
  'what would promise more to a pod': [
    burstable,
    resize({ requests: { cpu: '2', memory: '2Gi' } }),
    'strategic',
    ['spec: FieldValueInvalid: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
  ],
  'what would promise less to a pod': [
    guaranteed,
    resize({ limits: { cpu: '3' } }),
    'strategic',
    ['spec: FieldValueInvalid: Invalid value: "Guaranteed": Pod QOS Class may not change as a result of resizing'],
  ],
  'a first request': [
    {},
    resize({ requests: { cpu: '1' } }),
    'strategic',
    ['spec: FieldValueInvalid: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing'],
  ],
  'limits that are taken away': [
    burstable,
    resize({ limits: null }),
    'strategic',
    ['spec.containers[0].resources.limits: FieldValueForbidden: Forbidden: resource limits cannot be removed'],
  ],
  'other resources': [
    burstable,
    resize({ requests: { 'ephemeral-storage': '1Gi' } }),
    'strategic',
    ['spec: FieldValueForbidden: Forbidden: only cpu and memory resources are mutable'],
  ],
  'another policy': [
    burstable,
    { spec: { containers: [{ name: 'main', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }] } },
    'strategic',
    ['spec: FieldValueForbidden: Forbidden: only cpu and memory resources are mutable'],
  ],
  'another container': [
    burstable,
    { spec: { containers: [{ name: 'other', image: 'x' }] } },
    'strategic',
    ['spec.containers: FieldValueForbidden: Forbidden: containers may not be added or removed on resize'],
  ],
  'another name': [
    burstable,
    { spec: { containers: [{ ...main, name: 'other', resources: burstable }] } },
    'merge',
    ['spec.containers[0].name: FieldValueForbidden: Forbidden: containers may not be renamed or reordered on resize'],
  ],
};

export const cases: readonly Case[] = [
  {
    title: 'a pod gets other amounts of CPU and memory through its resize, as a new generation',
    run: async (t) => {
      const { one, path, door } = await made(t);
      const resized = await t.must('PATCH', door, resize({ requests: { cpu: '500m' } }), patchType.strategic);
      expect(resourcesOf(resized)).toEqual({ requests: { cpu: '500m', memory: '1Gi' }, limits: burstable.limits });
      expect(resized.metadata.generation).toBe((one.metadata.generation ?? 0) + 1);
      expect(await t.must('GET', path)).toEqual(resized);
      expect(await t.must('GET', door)).toEqual(resized);
    },
  },
  {
    title: 'not through the pod itself',
    run: async (t) => {
      const { path } = await made(t);
      const answer = await t.request('PATCH', path, resize({ requests: { cpu: '500m' } }), patchType.strategic);
      expectRefusal(answer, { code: 422, reason: 'Invalid', message: /pod updates may not change fields other than/ });
    },
  },
  {
    title: 'what a resize says of anything else is passed over, but noted as wanted',
    run: async (t) => {
      const { one, door } = await made(t);
      const more = {
        metadata: { labels: { a: 'x' }, annotations: { b: 'y' }, finalizers: ['example.com/f'] },
        spec: {
          activeDeadlineSeconds: 9,
          containers: [{ name: 'main', image: 'other', resources: { limits: { cpu: '3' } } }],
        },
        status: { phase: 'Running' },
      };
      const resized = await t.must('PATCH', `${door}?fieldManager=m`, more, patchType.strategic);
      expect(resourcesOf(resized)).toMatchObject({ limits: { cpu: '3' } });
      expect(resized.spec).toEqual({
        ...one.spec,
        containers: [{ ...(one.spec['containers'] as Fields[])[0], resources: resourcesOf(resized) }],
      });
      const { labels, annotations, finalizers } = resized.metadata;
      expect({ labels, annotations, finalizers, status: resized.status }).toEqual({ status: one.status });
      const mine = resized.metadata.managedFields?.find(({ manager }) => manager === 'm');
      expect(mine).toMatchObject({
        operation: 'Update',
        subresource: 'resize',
        fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } }, 'f:spec': { 'f:activeDeadlineSeconds': {} } },
      });
    },
  },
  {
    title: 'a resize that changes nothing writes nothing',
    run: async (t) => {
      const { one, door } = await made(t);
      const same = await t.must('PATCH', door, resize({ requests: { cpu: '1000m' } }), patchType.strategic);
      expect(same.metadata.resourceVersion).toBe(one.metadata.resourceVersion);
    },
  },
  {
    title: 'init containers and sidecars are resized, too',
    run: async (t) => {
      const initContainers = [
        { ...main, name: 'side', restartPolicy: 'Always', resources: burstable },
        { ...main, name: 'init', resources: burstable },
      ];
      const { door } = await made(t, burstable, { initContainers });
      const wanted = ['side', 'init'].map((name) => ({ name, resources: { requests: { cpu: '1500m' } } }));
      const { spec } = await t.must('PATCH', door, { spec: { initContainers: wanted } }, patchType.strategic);
      expect((spec['initContainers'] as { resources: Fields }[]).map(({ resources }) => resources)).toEqual(
        Array.from({ length: 2 }, () => ({ requests: { cpu: '1500m', memory: '1Gi' }, limits: burstable.limits })),
      );
    },
  },
  {
    title: 'a resize can be applied',
    run: async (t) => {
      const { one, door } = await made(t);
      const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, ...resize({ requests: { cpu: '600m' } }) };
      expectRefusal(await t.request('PATCH', `${door}?fieldManager=a`, body, patchType.apply), {
        code: 409,
        reason: 'Conflict',
      });
      const resized = await t.must('PATCH', `${door}?fieldManager=a&force=true`, body, patchType.apply);
      expect(resourcesOf(resized)).toMatchObject({ requests: { cpu: '600m' } });
      expect(resized.metadata.uid).toBe(one.metadata.uid);
    },
  },
  {
    title: 'a pod on a node that does not tell what containers have cannot be resized',
    run: async (t) => {
      const { path, door } = await made(t);
      const state = { running: { startedAt: '2026-01-01T00:00:00Z' } };
      const containerStatuses = [{ name: 'main', image: 'x', imageID: '', ready: true, restartCount: 0, state }];
      await t.must('PATCH', `${path}/status`, { status: { phase: 'Running', containerStatuses } }, patchType.strategic);
      const answer = await t.request('PATCH', door, resize({ requests: { cpu: '500m' } }), patchType.strategic);
      expect(causesOf(answer)).toEqual([
        'spec: FieldValueForbidden: Forbidden: Pod running on node without support for resize',
      ]);
    },
  },
  {
    title: 'an update with a stale version is a conflict, one of a pod that is not there is not found',
    run: async (t) => {
      const { one, door } = await made(t);
      await t.must('PATCH', door, resize({ requests: { cpu: '500m' } }), patchType.strategic);
      expectRefusal(await t.request('PUT', door, one), { code: 409, reason: 'Conflict' });
      const elsewhere = door.replace('/p/', '/none/');
      expectRefusal(await t.request('PATCH', elsewhere, resize({}), patchType.strategic), {
        code: 404,
        message: 'pods "none" not found',
      });
    },
  },
  ...Object.entries(refusals).map(
    ([what, [resources, body, type, causes]]): Case => ({
      title: `a resize is refused: ${what}`,
      run: async (t) => {
        const { door } = await made(t, resources);
        const answer = await t.request('PATCH', door, body, patchType[type]);
        expectRefusal(answer, { code: 422, reason: 'Invalid' });
        expect(causesOf(answer)).toEqual(causes);
      },
    }),
  ),
];
