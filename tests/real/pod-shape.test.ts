import type { ContainerStatus, KubeObject, Pod, PodStatus } from '@manta/api';
import {
  createKubeClient,
  createTransport,
  isForbidden,
  type KubeClient,
  loadConnection,
  resources,
  systemClock,
  type WatchOptions,
} from '@manta/kube';
import { spareObjectName } from '@manta/plan';
import { Interner } from '@manta/runtime';
import { afterEach, expect, test } from 'vitest';
import { podRecord } from '../../packages/plan/src/records/pod-record.ts';
import { POD_SHAPE } from '../../packages/operator/src/observe/pod-shape.ts';
import { createTestNamespace } from '../support/namespace.ts';
import type { PlaneUser } from '../support/plane-client.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const shared = sharedControlPlane();
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function clientOf(user: PlaneUser): Promise<KubeClient> {
  const connection = await loadConnection({ kubeconfig: user.kubeconfig.path });
  const transport = createTransport({ connection, clock: systemClock });
  ends.push(() => transport.close());
  return createKubeClient({ transport, clock: systemClock });
}

/** The objects that are there at the beginning. */
async function initial(client: KubeClient, options: WatchOptions): Promise<readonly Pod[]> {
  const found: Pod[] = [];
  const watch = client.watch(resources.pods, {
    ...options,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    allowBookmarks: true,
  });
  for await (const event of watch) {
    if (event.type !== 'BOOKMARK') found.push(event.object);
    else if (event.isInitialEventsEnd) break;
  }
  return found.toSorted((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''));
}

const container = (name: string, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  image: 'rayproject/ray:2.52.0',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...more,
});
const LONG = `a${'b'.repeat(52)}`;
const spare = spareObjectName(LONG) ?? '';
const times = { startedAt: '2026-01-02T03:04:05Z', finishedAt: '2026-01-02T03:04:06Z' };

/** Pods of every kind that decisions tell apart. */
const PODS: Readonly<Record<string, { metadata?: object; spec?: object; status?: PodStatus }>> = {
  'a-new': {},
  'b-ready': {
    status: {
      phase: 'Running',
      podIP: '10.0.0.7',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: 'True', reason: '', message: '', lastTransitionTime: '2026-01-02T03:04:05Z' },
      ],
      containerStatuses: [container('ray', { ready: true, state: { running: { startedAt: times.startedAt } } })],
    },
  },
  'c-ended': {
    status: {
      phase: 'Failed',
      containerStatuses: [
        container('side'),
        container('ray', {
          restartCount: 300,
          state: {
            terminated: { exitCode: 137, reason: 'OOMKilled', message: 'voll 🐟', ...times, containerID: 'c://1' },
          },
          lastState: { terminated: { exitCode: -1, signal: 9 } },
        }),
        container('ray-job-submitter', { state: { terminated: { exitCode: 0 } }, restartCount: 2 }),
      ],
    },
  },
  'd-waiting': {
    status: {
      phase: 'Pending',
      conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'no' }],
      initContainerStatuses: [container('init', { state: { waiting: { reason: 'ImagePullBackOff' } } })],
      containerStatuses: [container('ray', { state: { waiting: { reason: 'PodInitializing', message: 'soon' } } })],
    },
  },
  'e-homeless': {
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }],
    },
  },
  'f-spare': {
    metadata: { labels: { 'ray.io/cluster': LONG } },
    spec: {
      containers: [
        {
          name: 'ray',
          image: 'x',
          env: [
            { name: 'A', value: 'b' },
            { name: 'TOKEN', valueFrom: { secretKeyRef: { name: spare, key: 'auth_token' } } },
          ],
        },
      ],
    },
  },
  'f-shut-down': {
    status: {
      phase: 'Failed',
      reason: 'Terminated',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
    },
  },
  'f-under-pressure': {
    status: {
      phase: 'Failed',
      reason: 'Evicted',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }],
    },
  },
  'g-going': { metadata: { finalizers: ['test.manta/kept'] } },
};

const meta = (name: string, namespace: string, more: { readonly labels?: object } = {}) => ({
  ...more,
  name,
  namespace,
  labels: {
    'ray.io/cluster': 'demo',
    'ray.io/group': 'small',
    'ray.io/node-type': name < 'd' ? 'head' : 'worker',
    'ray.io/worker-group-replica-index': '12',
    'ray.io/worker-group-replica-name': 'small-abc',
    'ray.io/replica-host-index': '3',
    ...more.labels,
  },
  annotations: { 'ray.io/kuberay-version': 'v1.6.0', 'ray.io/upgrade-strategy-recreate-hash': 'x', empty: '' },
  ownerReferences: [
    {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      name: 'demo',
      uid: 'u-1',
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
});

async function makePods(client: KubeClient, namespace: string): Promise<void> {
  for (const [name, { metadata, spec, status }] of Object.entries(PODS)) {
    const containers = [{ name: 'side' }, { name: 'ray' }].map((each) => ({ ...each, image: 'x' }));
    await client.create<KubeObject>(resources.pods, {
      metadata: meta(name, namespace, metadata),
      spec: {
        nodeName: 'node-1',
        restartPolicy: 'Never',
        containers: name < 'd' ? containers.toReversed() : containers,
        ...spec,
      },
    } as KubeObject);
    const ref = { name, namespace };
    if (status !== undefined)
      await client.patch(resources.pods, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  }
  await client.delete(resources.pods, { name: 'g-going', namespace });
}

test('pods that come as protobuf are kept as those that come as JSON', async () => {
  const client = await clientOf(shared.admin);
  const { name: namespace } = await createTestNamespace(shared);
  await shared.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  await makePods(client, namespace);
  const [written, read] = await Promise.all([
    initial(client, { namespace, content: 'unmanaged' }),
    initial(client, { namespace, shape: POD_SHAPE }),
  ]);
  expect(written.map(({ metadata }) => metadata?.name)).toEqual(Object.keys(PODS).toSorted());
  const record = (pod: Pod) => podRecord(pod, new Interner());
  expect(read.map(record)).toEqual(written.map(record));
  for (const [index, pod] of read.entries()) {
    expect(pod.metadata).toEqual(written[index]?.metadata);
    // Nothing else was read, so this was protobuf.
    expect(pod.spec?.containers[0]?.image).toBeUndefined();
  }
});

test('a refusal is told in protobuf too', async () => {
  const { name: namespace } = await createTestNamespace(shared);
  const nobody = await clientOf(shared.user({ name: 'nobody-in-particular' }));
  const refused = await initial(nobody, { namespace, shape: POD_SHAPE }).catch((error: unknown) => error);
  expect(refused).toSatisfy(isForbidden);
  expect(String(refused)).toContain('cannot watch resource "pods"');
});
