import { eventually, eventuallyHolds } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { patchType, pod, service } from '../support/objects.ts';
import { core, grouped, pods, services } from '../support/paths.ts';
import type { Case, Fields, KubeObject, Target } from '../support/target.ts';

const slices = (namespace: string) => grouped('discovery.k8s.io/v1', namespace, 'endpointslices');
const selector = { app: 'x' };

/** Every node of this topic; the real controller leaves pods out whose node does not exist. */
async function node(t: Target): Promise<string> {
  const answer = await t.request('POST', '/api/v1/nodes', { metadata: { name: 'endpoints-node' } });
  expect([201, 409]).toContain(answer.status);
  return 'endpoints-node';
}

async function addPod(t: Target, namespace: string, name: string, ip: string, isReady = true): Promise<KubeObject> {
  const containers = [{ name: 'main', image: 'x', ports: [{ name: 'http', containerPort: 8080 }] }];
  await t.must('POST', pods(namespace), pod(name, { nodeName: await node(t), containers }, { labels: selector }));
  return setReady(t, namespace, name, ip, isReady);
}

const setReady = (t: Target, namespace: string, name: string, ip: string, isReady: boolean): Promise<KubeObject> =>
  t.must(
    'PATCH',
    `${pods(namespace, name)}/status`,
    {
      status: {
        phase: 'Running',
        podIP: ip,
        podIPs: [{ ip }],
        conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      },
    },
    patchType.merge,
  );

const sliceOf = (t: Target, namespace: string): Promise<KubeObject> =>
  eventually('an endpoint slice', async () => (await t.list(slices(namespace))).items[0]);

/** Waits until the endpoints of the namespace's only slice are these. */
const expectEndpoints = (t: Target, namespace: string, endpoints: readonly Fields[]) =>
  eventuallyHolds(async () => {
    const slice = await sliceOf(t, namespace);
    const found = (slice['endpoints'] ?? []) as { addresses: string[] }[];
    expect(found.toSorted((a, b) => String(a.addresses).localeCompare(String(b.addresses)))).toMatchObject(endpoints);
    expect(found).toHaveLength(endpoints.length);
  });

const conditions = (ready: boolean) => ({ ready, serving: ready, terminating: false });

export const cases: readonly Case[] = [
  {
    title: 'a service with a selector gets a slice with its name, owner and ports',
    run: async (t) => {
      const namespace = await t.namespace();
      const ports = [{ name: 'web', port: 80, targetPort: 'http' }];
      const made = await t.must('POST', services(namespace), service('s', { selector, ports }));
      await addPod(t, namespace, 'p', '10.200.0.1');
      await eventuallyHolds(async () =>
        expect((await sliceOf(t, namespace))['ports']).toEqual([{ name: 'web', port: 8080, protocol: 'TCP' }]),
      );
      const slice = await sliceOf(t, namespace);
      expect(slice).toMatchObject({
        addressType: 'IPv4',
        metadata: {
          generateName: 's-',
          labels: {
            'kubernetes.io/service-name': 's',
            'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
          },
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'Service',
              name: 's',
              uid: made.metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
      });
    },
  },
  {
    title: 'ready and unready pods are endpoints with their conditions, node and target',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s', { selector }));
      const one = await addPod(t, namespace, 'a', '10.200.0.1');
      await addPod(t, namespace, 'b', '10.200.0.2', false);
      await expectEndpoints(t, namespace, [
        {
          addresses: ['10.200.0.1'],
          conditions: conditions(true),
          nodeName: 'endpoints-node',
          targetRef: { kind: 'Pod', name: 'a', namespace, uid: one.metadata.uid },
        },
        { addresses: ['10.200.0.2'], conditions: conditions(false) },
      ]);
    },
  },
  {
    title: 'a pod that becomes ready becomes a ready endpoint',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s', { selector }));
      await addPod(t, namespace, 'a', '10.200.0.1', false);
      await expectEndpoints(t, namespace, [{ addresses: ['10.200.0.1'], conditions: conditions(false) }]);
      await setReady(t, namespace, 'a', '10.200.0.1', true);
      await expectEndpoints(t, namespace, [{ addresses: ['10.200.0.1'], conditions: conditions(true) }]);
    },
  },
  {
    title: 'a service that publishes early calls every endpoint ready',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s', { selector, publishNotReadyAddresses: true }));
      await addPod(t, namespace, 'a', '10.200.0.1', false);
      await expectEndpoints(t, namespace, [
        { addresses: ['10.200.0.1'], conditions: { ready: true, serving: false, terminating: false } },
      ]);
    },
  },
  {
    title: 'a pod that is being deleted is terminating, one that is gone is no endpoint',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s', { selector }));
      await addPod(t, namespace, 'a', '10.200.0.1');
      await expectEndpoints(t, namespace, [{ conditions: conditions(true) }]);
      await t.must('DELETE', pods(namespace, 'a'));
      await expectEndpoints(t, namespace, [{ conditions: { ready: false, serving: true, terminating: true } }]);
      await t.must('DELETE', `${pods(namespace, 'a')}?gracePeriodSeconds=0`);
      await expectEndpoints(t, namespace, []);
    },
  },
  {
    title: 'pods that have ended or have no address are no endpoints',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s', { selector }));
      await t.must('POST', pods(namespace), pod('bare', {}, { labels: selector }));
      await addPod(t, namespace, 'done', '10.200.0.2');
      await t.must('PATCH', `${pods(namespace, 'done')}/status`, { status: { phase: 'Succeeded' } }, patchType.merge);
      await addPod(t, namespace, 'live', '10.200.0.3');
      await expectEndpoints(t, namespace, [{ addresses: ['10.200.0.3'] }]);
    },
  },
  {
    title: 'a pod that changes its labels leaves',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s', { selector }));
      await addPod(t, namespace, 'a', '10.200.0.1');
      await expectEndpoints(t, namespace, [{ addresses: ['10.200.0.1'] }]);
      await t.must('PATCH', pods(namespace, 'a'), { metadata: { labels: { app: 'y' } } }, patchType.merge);
      await expectEndpoints(t, namespace, []);
    },
  },
  {
    title: 'slices go with their service',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s', { selector }));
      await sliceOf(t, namespace);
      await t.must('DELETE', services(namespace, 's'));
      await eventuallyHolds(async () => expect((await t.list(slices(namespace))).items).toEqual([]));
    },
  },
  {
    title: 'a service without a selector gets no slice',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('none'));
      await t.must('POST', services(namespace), service('some', { selector }));
      await sliceOf(t, namespace);
      expect(
        (await t.list(slices(namespace))).items.map((item) => item.metadata.labels?.['kubernetes.io/service-name']),
      ).toEqual(['some']);
    },
  },
  {
    title: 'a headless service has a label that says so',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s', { selector, clusterIP: 'None' }));
      const slice = await sliceOf(t, namespace);
      expect(slice.metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' });
    },
  },
  {
    title: 'old Endpoints of a service are kept, too',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', services(namespace), service('s', { selector }));
      await addPod(t, namespace, 'a', '10.200.0.1');
      await eventuallyHolds(async () => {
        const endpoints = await t.must('GET', core(namespace, 'endpoints', 's'));
        expect(endpoints['subsets']).toMatchObject([{ addresses: [{ ip: '10.200.0.1' }], ports: [{ port: 80 }] }]);
      });
    },
  },
];
