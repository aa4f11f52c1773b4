import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { configMap, pod } from '../support/objects.ts';
import { configMaps, core, pods } from '../support/paths.ts';
import type { Case, Target } from '../support/target.ts';

async function somePods(t: Target): Promise<string> {
  const namespace = await t.namespace();
  await t.must('POST', pods(namespace), pod('bound', { nodeName: 'n1' }));
  await t.must('POST', pods(namespace), pod('free', { restartPolicy: 'Never' }));
  const running = await t.must('POST', pods(namespace), pod('running', { nodeName: 'n1' }));
  const status = { phase: 'Running', podIP: '10.200.0.9', podIPs: [{ ip: '10.200.0.9' }] };
  await t.must('PUT', `${pods(namespace, 'running')}/status`, { ...running, status });
  return namespace;
}

const podSelectors: Readonly<Record<string, readonly string[]>> = {
  'metadata.name=free': ['free'],
  'metadata.name==free': ['free'],
  'metadata.name!=free': ['bound', 'running'],
  'status.phase=Running': ['running'],
  'status.phase!=Running': ['bound', 'free'],
  'spec.nodeName=': ['free'],
  'spec.nodeName=n1': ['bound', 'running'],
  'spec.nodeName=n1,status.phase=Pending': ['bound'],
  'spec.restartPolicy=Never': ['free'],
  'spec.serviceAccountName=default': ['bound', 'free', 'running'],
  'status.podIP=10.200.0.9': ['running'],
  'spec.schedulerName!=default-scheduler': [],
};

const bad: Readonly<Record<string, string>> = {
  'spec.image=x': 'field label not supported: spec.image',
  'metadata.labels=x': 'field label not supported: metadata.labels',
  'metadata.name': "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
};

export const cases: readonly Case[] = [
  ...Object.entries(podSelectors).map(([selector, names]) => ({
    title: `among pods, \`${selector}\` finds ${names.length === 0 ? 'nothing' : names.join(', ')}`,
    run: async (t: Target) => {
      const list = await t.list(`${pods(await somePods(t))}?fieldSelector=${encodeURIComponent(selector)}`);
      expect(list.items.map((item) => item.metadata.name)).toEqual(names);
    },
  })),
  {
    title: 'every kind can be selected by name and namespace',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', configMaps(namespace), configMap('x'));
      const selector = encodeURIComponent(`metadata.name=x,metadata.namespace=${namespace}`);
      const list = await t.list(`/api/v1/configmaps?fieldSelector=${selector}`);
      expect(list.items.map((item) => item.metadata.namespace)).toEqual([namespace]);
    },
  },
  {
    title: 'events can be selected by what they are about',
    run: async (t) => {
      const namespace = await t.namespace();
      for (const name of ['a', 'b'])
        await t.must('POST', core(namespace, 'events'), {
          metadata: { name: `event-${name}` },
          involvedObject: { kind: 'Pod', name, namespace, uid: `uid-${name}` },
          reason: `Reason${name.toUpperCase()}`,
          type: name === 'a' ? 'Normal' : 'Warning',
        });
      const found = async (selector: string) =>
        (await t.list(`${core(namespace, 'events')}?fieldSelector=${encodeURIComponent(selector)}`)).items.map(
          (item) => item.metadata.name,
        );
      expect(await found('involvedObject.name=a')).toEqual(['event-a']);
      expect(await found('involvedObject.uid=uid-b,involvedObject.kind=Pod')).toEqual(['event-b']);
      expect(await found('type=Warning')).toEqual(['event-b']);
      expect(await found('reason!=ReasonA')).toEqual(['event-b']);
    },
  },
  {
    title: 'secrets can be selected by type',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', core(namespace, 'secrets'), { metadata: { name: 'a' }, type: 'example.com/a' });
      await t.must('POST', core(namespace, 'secrets'), { metadata: { name: 'b' } });
      const list = await t.list(`${core(namespace, 'secrets')}?fieldSelector=type%3Dexample.com%2Fa`);
      expect(list.items.map((item) => item.metadata.name)).toEqual(['a']);
    },
  },
  {
    title: 'a field that a kind does not offer is refused',
    run: async (t) =>
      expectRefusal(await t.request('GET', `${configMaps(await t.namespace())}?fieldSelector=data.a%3Db`), {
        code: 400,
        reason: 'BadRequest',
        message: /field label not supported: data\.a$|"data\.a" is not a known field selector/,
      }),
  },
  ...Object.entries(bad).map(([selector, complaint]) => ({
    title: `among pods, \`${selector}\` is refused`,
    run: async (t: Target) =>
      expectRefusal(
        await t.request('GET', `${pods(await t.namespace())}?fieldSelector=${encodeURIComponent(selector)}`),
        {
          code: 400,
          reason: 'BadRequest',
          message: complaint,
        },
      ),
  })),
];
