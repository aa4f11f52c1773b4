import { eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap, pod, service } from '../support/objects.ts';
import { configMaps, core, pods, services } from '../support/paths.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const quotas = (namespace: string, name?: string) => core(namespace, 'resourcequotas', name);
const sized = (cpu: string, memory = '1Mi') => ({
  containers: [{ name: 'main', image: 'x', resources: { requests: { cpu, memory }, limits: { cpu, memory } } }],
});

/** Makes a quota and waits until it is counted. */
async function limited(t: Target, hard: Fields): Promise<string> {
  const namespace = await t.namespace();
  await t.must('POST', quotas(namespace), { metadata: { name: 'q' }, spec: { hard } });
  await eventuallyHolds(async () =>
    expect((await t.must('GET', quotas(namespace, 'q'))).status).toHaveProperty('used'),
  );
  return namespace;
}

export const cases: readonly Case[] = [
  {
    title: 'a quota shows what is allowed and what is used',
    run: async (t) => {
      const namespace = await limited(t, { pods: '2', 'requests.cpu': '1', 'count/services': '5' });
      expect((await t.must('GET', quotas(namespace, 'q'))).status).toEqual({
        hard: { pods: '2', 'requests.cpu': '1', 'count/services': '5' },
        used: { pods: '0', 'requests.cpu': '0', 'count/services': '0' },
      });
      await t.must('POST', pods(namespace), pod('p', sized('250m')));
      await t.must('POST', services(namespace), service('s'));
      expect((await t.must('GET', quotas(namespace, 'q'))).status['used']).toEqual({
        pods: '1',
        'requests.cpu': '250m',
        'count/services': '1',
      });
    },
  },
  {
    title: 'what exceeds a quota is forbidden, with the sums',
    run: async (t) => {
      const namespace = await limited(t, { pods: '1' });
      await t.must('POST', pods(namespace), pod('a'));
      expectRefusal(await t.request('POST', pods(namespace), pod('b')), {
        code: 403,
        reason: 'Forbidden',
        message: 'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
        details: { name: 'b', kind: 'pods' },
      });
    },
  },
  {
    title: 'sums of resources are counted in quantities',
    run: async (t) => {
      const namespace = await limited(t, { 'requests.cpu': '1', 'limits.memory': '1Gi' });
      await t.must('POST', pods(namespace), pod('a', sized('600m', '512Mi')));
      expectRefusal(await t.request('POST', pods(namespace), pod('b', sized('500m', '1Gi'))), {
        code: 403,
        message:
          'pods "b" is forbidden: exceeded quota: q, requested: limits.memory=1Gi,requests.cpu=500m, used: limits.memory=512Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1',
      });
    },
  },
  {
    title: 'a pod that does not say what a quota counts is forbidden',
    run: async (t) => {
      const namespace = await limited(t, { 'requests.cpu': '1' });
      expectRefusal(await t.request('POST', pods(namespace), pod('a')), {
        code: 403,
        message: 'pods "a" is forbidden: failed quota: q: must specify requests.cpu for: main',
      });
    },
  },
  {
    title: 'other kinds are counted by name',
    run: async (t) => {
      const namespace = await limited(t, { 'count/configmaps': '2' });
      // kube-root-ca.crt is one of them.
      await eventuallyHolds(async () =>
        expect((await t.must('GET', quotas(namespace, 'q'))).status['used']).toEqual({ 'count/configmaps': '1' }),
      );
      await t.must('POST', configMaps(namespace), configMap('a'));
      expectRefusal(await t.request('POST', configMaps(namespace), configMap('b')), {
        code: 403,
        message:
          'configmaps "b" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2',
      });
    },
  },
  {
    title: 'what is deleted gives its share back',
    run: async (t) => {
      const namespace = await limited(t, { pods: '1' });
      await t.must('POST', pods(namespace), pod('a'));
      await t.must('DELETE', pods(namespace, 'a'));
      // Admission reads its own, slightly older view of the quota.
      await eventuallyHolds(async () => void (await t.must('POST', pods(namespace), pod('b'))));
    },
  },
  {
    title: 'a pod that has ended gives its share back',
    run: async (t) => {
      const namespace = await limited(t, { pods: '1' });
      const made = await t.must('POST', pods(namespace), pod('a', { nodeName: 'n' }));
      await t.must('PUT', `${pods(namespace, 'a')}/status`, {
        ...made,
        status: { ...made.status, phase: 'Succeeded' },
      });
      await eventuallyHolds(async () =>
        expect((await t.must('GET', quotas(namespace, 'q'))).status['used']).toEqual({ pods: '0' }),
      );
    },
  },
];
