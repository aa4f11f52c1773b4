import { createWidgets, sharedWidgets } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { job, patchType } from '../support/objects.ts';
import { jobs, pods } from '../support/paths.ts';
import type { Case, Fields, KubeObject, Target } from '../support/target.ts';

const nodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }],
  },
};
const podAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }],
};

/** Makes a job that is held, and waits until its controller says so. */
async function held(t: Target): Promise<string> {
  const namespace = await t.namespace();
  await t.must('POST', jobs(namespace), job('j', { suspend: true }));
  return await eventually('the job to be suspended', async () => {
    const { status } = await t.must('GET', jobs(namespace, 'j'));
    const conditions = (status['conditions'] ?? []) as { type: string; status: string }[];
    return conditions.some(({ type, status: is }) => type === 'Suspended' && is === 'True')
      ? jobs(namespace, 'j')
      : undefined;
  });
}

const template = (spec: Fields, metadata: Fields = {}): Fields => ({ spec: { template: { metadata, spec } } });
const templateOf = ({ spec }: KubeObject) => spec['template'] as { metadata: Fields; spec: Fields };

const allowed: Readonly<Record<string, Fields>> = {
  'its node selector': template({ nodeSelector: { zone: 'a' } }),
  'its tolerations': template({ tolerations: [{ key: 'a', operator: 'Exists' }] }),
  'its scheduling gates': template({ schedulingGates: [{ name: 'example.com/wait' }] }),
  'its node affinity': template({ affinity: { nodeAffinity } }),
  'what its containers ask for': template({ containers: [{ name: 'main', resources: { requests: { cpu: '2' } } }] }),
  'its labels': template({}, { labels: { extra: 'x' } }),
  'its annotations': template({}, { annotations: { extra: 'x' } }),
};

const refused: Readonly<Record<string, Fields>> = {
  'its image': template({ containers: [{ name: 'main', image: 'other' }] }),
  'its environment': template({ containers: [{ name: 'main', env: [{ name: 'A', value: 'b' }] }] }),
  'the other pods it wants near': template({ affinity: { podAffinity } }),
  'its scheduler': template({ schedulerName: 'other' }),
  'its node': template({ nodeName: 'other' }),
};

export const cases: readonly Case[] = [
  ...Object.entries(allowed).map(
    ([what, patch]): Case => ({
      title: `of the pods of a suspended job that never ran may be changed: ${what}`,
      run: async (t) => {
        const path = await held(t);
        const before = await t.must('GET', path);
        const changed = await t.must('PATCH', path, patch, patchType.strategic);
        expect(templateOf(changed)).toMatchObject(templateOf(patch as KubeObject));
        expect(changed.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
      },
    }),
  ),
  ...Object.entries(refused).map(
    ([what, patch]): Case => ({
      title: `of the pods of a suspended job may not be changed: ${what}`,
      run: async (t) => {
        const answer = await t.request('PATCH', await held(t), patch, patchType.strategic);
        expectRefusal(answer, { code: 422, reason: 'Invalid' });
        expect(causesOf(answer)).toEqual([
          expect.stringMatching(/^spec\.template\.spec: FieldValueInvalid: Invalid value: .*: field is immutable$/s),
        ]);
      },
    }),
  ),
  {
    title: 'a suspended job can be placed and resumed at once, and then no more',
    run: async (t) => {
      const path = await held(t);
      const patch = (zone: string) => ({
        spec: { suspend: false, template: { spec: { nodeSelector: { zone } } } },
      });
      await t.must('PATCH', path, patch('a'), patchType.merge);
      const namespace = path.split('/')[5] ?? '';
      const [one] = await eventually('a pod', async () => {
        const { items } = await t.list(pods(namespace));
        return items.length === 1 ? items : undefined;
      });
      expect(one?.spec).toMatchObject({ nodeSelector: { zone: 'a' } });
      const answer = await t.request('PATCH', path, patch('b'), patchType.merge);
      expect(causesOf(answer)).toEqual([
        expect.stringMatching(/^spec\.template: FieldValueInvalid: Invalid value: .*: field is immutable$/s),
      ]);
    },
  },
  {
    title: 'a custom resource that is suspended by a patch has a new generation, and keeps its status',
    run: async (t) => {
      const widgets = await sharedWidgets(t, 'suspend', { version: { subresources: { status: {} } } });
      const namespace = await t.namespace();
      const path = widgets.path(namespace, 'w');
      await t.must('POST', widgets.path(namespace), widgets.object('w', { size: 3 }));
      const status = { state: 'ready', observedGeneration: 1 };
      await t.must('PATCH', `${path}/status`, { status }, patchType.merge);
      const suspend = { spec: { suspend: true } };
      const suspended = await t.must('PATCH', `${path}?fieldManager=idler`, suspend, patchType.merge);
      expect(suspended).toMatchObject({ spec: { size: 3, suspend: true }, status, metadata: { generation: 2 } });
      expect(suspended.metadata.managedFields).toContainEqual(
        expect.objectContaining({ manager: 'idler', fieldsV1: { 'f:spec': { 'f:suspend': {} } } }),
      );
      const again = await t.must('PATCH', `${path}?fieldManager=idler`, suspend, patchType.merge);
      expect(again.metadata.resourceVersion).toBe(suspended.metadata.resourceVersion);
    },
  },
  {
    title: 'a patch that asks for the version it has seen does not suspend what somebody has just resumed',
    run: async (t) => {
      const widgets = await sharedWidgets(t, 'suspend', { version: { subresources: { status: {} } } });
      const namespace = await t.namespace();
      const path = widgets.path(namespace, 'w');
      const seen = await t.must('POST', widgets.path(namespace), widgets.object('w', { suspend: false, touched: 0 }));
      await t.must('PATCH', path, { spec: { touched: 1 } }, patchType.merge);
      const { resourceVersion } = seen.metadata;
      const stale = { metadata: { resourceVersion }, spec: { suspend: true } };
      expectRefusal(await t.request('PATCH', path, stale, patchType.merge), { code: 409, reason: 'Conflict' });
      const guarded = [
        { op: 'test', path: '/spec/touched', value: 0 },
        { op: 'replace', path: '/spec/suspend', value: true },
      ];
      expectRefusal(await t.request('PATCH', path, guarded, patchType.json), { code: 422, reason: 'Invalid' });
      expect((await t.must('GET', path)).spec).toEqual({ suspend: false, touched: 1 });
    },
  },
  {
    title: 'suspend that one manager applied and another patched is a conflict until it is forced',
    run: async (t) => {
      const widgets = await createWidgets(t, {
        spec: { type: 'object', properties: { suspend: { type: 'boolean' } } },
      });
      const namespace = await t.namespace();
      const path = widgets.path(namespace, 'w');
      const applied = (suspend: boolean) => widgets.object('w', { suspend });
      await t.must('PATCH', `${path}?fieldManager=owner`, applied(false), patchType.apply);
      await t.must('PATCH', `${path}?fieldManager=idler`, { spec: { suspend: true } }, patchType.merge);
      expectRefusal(await t.request('PATCH', `${path}?fieldManager=owner`, applied(false), patchType.apply), {
        code: 409,
        message: /conflict with "idler".*: \.spec\.suspend/,
      });
      const forced = await t.must('PATCH', `${path}?fieldManager=owner&force=true`, applied(false), patchType.apply);
      expect(forced.spec).toEqual({ suspend: false });
    },
  },
];
