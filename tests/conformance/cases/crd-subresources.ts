import { sharedWidgets } from '../support/custom-resources.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { patchType } from '../support/objects.ts';
import type { Case, Target } from '../support/target.ts';

const integer = { type: 'integer' };
const scaled = (t: Target) =>
  sharedWidgets(t, 'scaled', {
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { replicas: integer, note: { type: 'string' } } },
        status: { type: 'object', properties: { replicas: integer, selector: { type: 'string' } } },
      },
    },
    version: {
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
    },
  });
const plain = (t: Target) => sharedWidgets(t, 'plain', {});

async function made(t: Target, spec: object) {
  const widgets = await scaled(t);
  const namespace = await t.namespace();
  const object = await t.must('POST', widgets.path(namespace), {
    ...widgets.object('w', { ...spec }),
    status: { replicas: 9 },
  });
  return { widgets, object, path: widgets.path(namespace, 'w') };
}

export const cases: readonly Case[] = [
  {
    title: 'a custom resource with a status subresource is created without status',
    run: async (t) => {
      const { object } = await made(t, { replicas: 1 });
      expect(object).not.toHaveProperty('status');
      expect(object.metadata.generation).toBe(1);
    },
  },
  {
    title: 'its status is written only through the subresource, and its spec only beside it',
    run: async (t) => {
      const { object, path } = await made(t, { replicas: 1 });
      const status = { replicas: 2 };
      const withStatus = await t.must('PUT', `${path}/status`, { ...object, spec: { replicas: 7 }, status });
      expect(withStatus).toMatchObject({ spec: { replicas: 1 }, status });
      expect(withStatus.metadata.generation).toBe(1);
      const withSpec = await t.must('PUT', path, { ...withStatus, spec: { replicas: 3 }, status: { replicas: 8 } });
      expect(withSpec).toMatchObject({ spec: { replicas: 3 }, status });
      expect(withSpec.metadata.generation).toBe(2);
    },
  },
  {
    title: 'a write of its status leaves labels and annotations alone',
    run: async (t) => {
      const { path } = await made(t, {});
      const patch = { metadata: { labels: { a: 'b' } }, status: { replicas: 1 } };
      const after = await t.must('PATCH', `${path}/status`, patch, patchType.merge);
      expect(after.metadata).not.toHaveProperty('labels');
      expect(after.status).toEqual({ replicas: 1 });
    },
  },
  {
    title: 'its labels are no new generation',
    run: async (t) => {
      const { path } = await made(t, {});
      const after = await t.must('PATCH', path, { metadata: { labels: { a: 'b' } } }, patchType.merge);
      expect(after.metadata.generation).toBe(1);
    },
  },
  {
    title: 'a custom resource without a status subresource takes its status like any field, and counts it',
    run: async (t) => {
      const widgets = await plain(t);
      const namespace = await t.namespace();
      const object = await t.must('POST', widgets.path(namespace), { ...widgets.object('w'), status: { x: 1 } });
      expect(object.status).toEqual({ x: 1 });
      const after = await t.must('PUT', widgets.path(namespace, 'w'), { ...object, status: { x: 2 } });
      expect(after.status).toEqual({ x: 2 });
      expect(after.metadata.generation).toBe(2);
      expect((await t.request('GET', `${widgets.path(namespace, 'w')}/status`)).status).toBe(404);
    },
  },
  {
    title: 'a scale shows what is wanted, what there is, and how to find it',
    run: async (t) => {
      const { object, path } = await made(t, { replicas: 3 });
      await t.must('PUT', `${path}/status`, { ...object, status: { replicas: 2, selector: 'a=b' } });
      const scale = await t.must('GET', `${path}/scale`);
      expect(scale).toMatchObject({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'w', uid: object.metadata.uid },
        spec: { replicas: 3 },
        status: { replicas: 2, selector: 'a=b' },
      });
    },
  },
  {
    title: 'a scale that is written changes the replicas and nothing else',
    run: async (t) => {
      const { path } = await made(t, { replicas: 1, note: 'keep' });
      const scale = await t.must('GET', `${path}/scale`);
      const after = await t.must('PUT', `${path}/scale`, { ...scale, spec: { replicas: 5 } });
      expect(after).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } });
      expect(await t.must('GET', path)).toMatchObject({
        metadata: { generation: 2 },
        spec: { replicas: 5, note: 'keep' },
      });
    },
  },
  {
    title: 'a scale can be patched',
    run: async (t) => {
      const { path } = await made(t, { replicas: 1 });
      await t.must('PATCH', `${path}/scale`, { spec: { replicas: 4 } }, patchType.merge);
      expect((await t.must('GET', path)).spec).toEqual({ replicas: 4 });
    },
  },
  {
    title: 'a scale with a stale version is a conflict',
    run: async (t) => {
      const { path } = await made(t, { replicas: 1 });
      const scale = await t.must('GET', `${path}/scale`);
      await t.must('PATCH', path, { spec: { note: 'x' } }, patchType.merge);
      expectRefusal(await t.request('PUT', `${path}/scale`, { ...scale, spec: { replicas: 5 } }), { code: 409 });
    },
  },
  {
    title: 'a scale below zero is refused',
    run: async (t) => {
      const { path } = await made(t, { replicas: 1 });
      expectRefusal(await t.request('PATCH', `${path}/scale`, { spec: { replicas: -1 } }, patchType.merge), {
        code: 422,
        reason: 'Invalid',
        message:
          /spec\.replicas: Invalid value: -1: should be a non-negative integer|must be greater than or equal to 0/,
      });
    },
  },
  {
    title: 'an object without replicas has no scale to read',
    run: async (t) => {
      const { path } = await made(t, {});
      expectRefusal(await t.request('GET', `${path}/scale`), {
        code: 500,
        reason: 'InternalError',
        message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
      });
    },
  },
  {
    title: 'a scale that a kind does not have is not found',
    run: async (t) => {
      const widgets = await plain(t);
      const namespace = await t.namespace();
      await t.must('POST', widgets.path(namespace), widgets.object('w'));
      expect((await t.request('GET', `${widgets.path(namespace, 'w')}/scale`)).status).toBe(404);
    },
  },
];
