import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap } from '../support/objects.ts';
import { configMaps } from '../support/paths.ts';
import { gone } from '../support/retry.ts';
import type { Case } from '../support/target.ts';

const held = { finalizers: ['example.com/hold'] };

export const cases: readonly Case[] = [
  {
    title: 'a namespace gets its name as a label, the finalizer kubernetes, and is Active',
    run: async (t) => {
      const name = t.unique('case');
      const made = await t.must('POST', '/api/v1/namespaces', { metadata: { name } });
      expect(made).toMatchObject({
        metadata: { labels: { 'kubernetes.io/metadata.name': name } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      });
    },
  },
  {
    title: 'creating in a namespace that does not exist is not found',
    run: async (t) => {
      const namespace = t.unique('missing');
      expectRefusal(await t.request('POST', configMaps(namespace), configMap('x')), {
        code: 404,
        reason: 'NotFound',
        message: `namespaces "${namespace}" not found`,
        details: { name: namespace, kind: 'namespaces' },
      });
    },
  },
  {
    title: 'listing a namespace that does not exist finds nothing, and reading in it is not found',
    run: async (t) => {
      const namespace = t.unique('missing');
      expect((await t.list(configMaps(namespace))).items).toEqual([]);
      expectRefusal(await t.request('GET', configMaps(namespace, 'x')), {
        code: 404,
        message: 'configmaps "x" not found',
      });
    },
  },
  {
    title: 'a namespace that is being deleted takes nothing new, and says why',
    run: async (t) => {
      const namespace = await t.namespace();
      const path = configMaps(namespace);
      await t.must('POST', path, configMap('keeper', {}, held));
      const deleting = await t.must('DELETE', `/api/v1/namespaces/${namespace}`);
      expect(deleting).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
      expectRefusal(await t.request('POST', path, configMap('x')), {
        code: 403,
        reason: 'Forbidden',
        message: `configmaps "x" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
        details: {
          name: 'x',
          kind: 'configmaps',
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: `namespace ${namespace} is being terminated`,
              field: 'metadata.namespace',
            },
          ],
        },
      });
      await t.must('PUT', `${path}/keeper`, configMap('keeper'));
      await gone(t, `/api/v1/namespaces/${namespace}`);
    },
  },
  {
    title: 'deleting a namespace a second time is accepted while the first is under way',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('keeper', {}, held));
      const path = `/api/v1/namespaces/${namespace}`;
      const first = await t.must('DELETE', path);
      const again = await t.request('DELETE', path);
      expect(again.status).toBe(200);
      expect(again.body).toMatchObject({
        kind: 'Namespace',
        metadata: { uid: first.metadata.uid, deletionTimestamp: first.metadata.deletionTimestamp },
      });
      await t.must('PUT', configMaps(namespace, 'keeper'), configMap('keeper'));
    },
  },
  ...['default', 'kube-system', 'kube-public'].map(
    (name): Case => ({
      title: `the namespace ${name} may not be deleted`,
      run: async (t) =>
        expectRefusal(await t.request('DELETE', `/api/v1/namespaces/${name}`), {
          code: 403,
          reason: 'Forbidden',
          message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
        }),
    }),
  ),
  {
    title: 'a namespace in the body must be the one of the path',
    run: async (t) => {
      const namespace = await t.namespace();
      expectRefusal(await t.request('POST', configMaps(namespace), configMap('x', {}, { namespace: 'default' })), {
        code: 400,
        reason: 'BadRequest',
        message: 'the namespace of the provided object does not match the namespace sent on the request',
      });
    },
  },
  {
    title: 'a list over all namespaces sees each of them',
    run: async (t) => {
      const [one, two] = [await t.namespace(), await t.namespace()];
      const label = t.unique('label');
      for (const namespace of [one, two])
        await t.must('POST', configMaps(namespace), configMap('x', {}, { labels: { label } }));
      const list = await t.list(`/api/v1/configmaps?labelSelector=label%3D${label}`);
      expect(new Set(list.items.map((item) => item.metadata.namespace))).toEqual(new Set([one, two]));
    },
  },
  {
    title: 'nothing namespaced can be created over all namespaces',
    run: async (t) =>
      expectRefusal(await t.request('POST', '/api/v1/configmaps', configMap('x')), {
        code: 405,
        reason: 'MethodNotAllowed',
      }),
  },
];
