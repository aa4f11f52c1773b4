import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { configMap, job, patchType, pod, service } from '../support/objects.ts';
import { configMaps, core, jobs, pods, services } from '../support/paths.ts';
import { gone } from '../support/retry.ts';
import type { Case } from '../support/target.ts';

export const cases: readonly Case[] = [
  {
    title: 'a deleted namespace takes everything in it along',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      await t.must('POST', pods(namespace), pod('p'));
      await t.must('POST', services(namespace), service('s'));
      await t.must('POST', jobs(namespace), job('j', { suspend: true }));
      await t.must('DELETE', `/api/v1/namespaces/${namespace}`);
      await gone(t, `/api/v1/namespaces/${namespace}`);
      for (const path of [
        configMaps(namespace, 'x'),
        pods(namespace, 'p'),
        services(namespace, 's'),
        jobs(namespace, 'j'),
      ])
        expect((await t.request('GET', path)).status).toBe(404);
    },
  },
  {
    title: 'a namespace waits for finalizers in it, and says so',
    run: async (t) => {
      const namespace = await t.namespace();
      const path = `/api/v1/namespaces/${namespace}`;
      await t.must('POST', configMaps(namespace), configMap('held', {}, { finalizers: ['example.com/hold'] }));
      await t.must('DELETE', path);
      const conditions = await eventually('its conditions', async () => {
        const { status } = await t.must('GET', path);
        const all = (status['conditions'] ?? []) as { type: string; status: string; reason: string; message: string }[];
        return all.find(({ type }) => type === 'NamespaceFinalizersRemaining')?.status === 'True' ? all : undefined;
      });
      expect(conditions).toContainEqual(
        expect.objectContaining({
          type: 'NamespaceContentRemaining',
          status: 'True',
          reason: 'SomeResourcesRemain',
          message: 'Some resources are remaining: configmaps. has 1 resource instances',
        }),
      );
      expect(conditions).toContainEqual(
        expect.objectContaining({
          type: 'NamespaceFinalizersRemaining',
          reason: 'SomeFinalizersRemain',
          message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
        }),
      );
      await t.must('PATCH', configMaps(namespace, 'held'), { metadata: { finalizers: null } }, patchType.merge);
      await gone(t, path);
    },
  },
  {
    title: 'a namespace of the same name can be made again afterwards',
    run: async (t) => {
      const namespace = await t.namespace();
      const path = `/api/v1/namespaces/${namespace}`;
      const first = await t.must('GET', path);
      await t.must('POST', configMaps(namespace), configMap('x'));
      await t.must('DELETE', path);
      await gone(t, path);
      const second = await t.must('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      expect((await t.request('GET', configMaps(namespace, 'x'))).status).toBe(404);
    },
  },
  {
    title: 'a pod on a node holds its namespace until the node confirms',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', pods(namespace), pod('p', { nodeName: 'n1' }));
      await t.must('DELETE', `/api/v1/namespaces/${namespace}`);
      await eventually('the pod to be deleted', async () => {
        const now = await t.must('GET', pods(namespace, 'p'));
        return now.metadata.deletionTimestamp;
      });
      await t.must('DELETE', `${pods(namespace, 'p')}?gracePeriodSeconds=0`);
      await gone(t, `/api/v1/namespaces/${namespace}`);
    },
  },
  {
    title: 'every namespace has a default service account, which comes back when it is deleted',
    run: async (t) => {
      const namespace = await t.namespace();
      const path = core(namespace, 'serviceaccounts', 'default');
      const first = await t.must('GET', path);
      await t.must('DELETE', path);
      await eventuallyHolds(async () => expect((await t.must('GET', path)).metadata.uid).not.toBe(first.metadata.uid));
    },
  },
  {
    title: 'every namespace has the certificate of the server in a config map',
    run: async (t) => {
      const namespace = await t.namespace();
      const map = await eventually('kube-root-ca.crt', async () => {
        const answer = await t.request('GET', configMaps(namespace, 'kube-root-ca.crt'));
        return answer.status === 200 ? (answer.body as { data: Record<string, string>; metadata: object }) : undefined;
      });
      expect(map.data['ca.crt']).toBe(t.caCert);
      expect(map.metadata).toMatchObject({
        annotations: {
          'kubernetes.io/description': expect.stringContaining(
            'Contains a CA bundle that can be used to verify the kube-apiserver',
          ),
        },
      });
    },
  },
];
