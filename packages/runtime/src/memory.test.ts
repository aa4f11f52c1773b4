import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { expect, it } from 'vitest';
import { createInformer } from './informer.ts';
import type { Interner } from './intern.ts';
import { silentLogger } from './logger.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName: string; readonly containers: readonly unknown[] };
  readonly status: {
    readonly phase: string;
    readonly podIP: string;
    readonly conditions: readonly { readonly type: string; readonly lastTransitionTime: string }[];
  };
}

const PODS: ResourceType<Pod> = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true };
const COUNT = 10_000;
const CONDITIONS = ['Ready', 'Initialized', 'ContainersReady', 'PodScheduled', 'PodReadyToStartContainers'];

/** A pod as it comes from the server: every string and object is its own copy. */
function pod(n: number): Pod {
  const text = JSON.stringify({
    metadata: {
      name: `raycluster-${n % 500}-small-group-worker-${n}`,
      namespace: `team-${n % 20}`,
      uid: `9f0c1f6e-2c51-4c3e-8e0a-${String(n).padStart(12, '0')}`,
      resourceVersion: String(1_000_000 + n),
      labels: {
        'ray.io/cluster': `raycluster-${n % 500}`,
        'ray.io/node-type': 'worker',
        'ray.io/group': 'small-group',
        'ray.io/identifier': `raycluster-${n % 500}-worker`,
        'app.kubernetes.io/name': 'kuberay',
        'app.kubernetes.io/created-by': 'kuberay-operator',
      },
      annotations: { 'ray.io/ft-enabled': 'false' },
      ownerReferences: [
        { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: `raycluster-${n % 500}`, uid: `owner-${n % 500}` },
      ],
    },
    spec: {
      nodeName: `node-${n % 100}`,
      containers: [{ name: 'ray', env: Array.from({ length: 30 }, () => ({ name: 'X', value: 'y' })) }],
    },
    status: {
      phase: 'Running',
      podIP: `10.${n % 250}.${n % 200}.${n % 100}`,
      conditions: CONDITIONS.map((type) => ({ type, status: 'True', lastTransitionTime: `2026-01-01T${n}Z` })),
    },
  });
  return JSON.parse(text) as Pod;
}

/** What an operator keeps of a pod. */
function project({ metadata = {}, spec, status }: Pod, intern: Interner) {
  return {
    name: metadata.name ?? '',
    namespace: intern.string(metadata.namespace),
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    labels: intern.value(metadata.labels),
    annotations: intern.value(metadata.annotations),
    owners: intern.value(metadata.ownerReferences),
    node: intern.string(spec.nodeName),
    phase: intern.string(status.phase),
    ip: status.podIP,
    readySince: status.conditions.find((condition) => condition.type === 'Ready')?.lastTransitionTime,
    isDeleting: metadata.deletionTimestamp !== undefined,
    restarts: 0,
  };
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') for (let n = 0; n < 3; n += 1) collect();
  return process.memoryUsage().heapUsed;
}

it('keeps a pod in less than a kilobyte, key, indexes and all', async () => {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const informer = createInformer(
    { clock, client, random: () => 0, log: silentLogger },
    {
      type: PODS,
      project,
      indexes: { owner: (row) => row.owners?.map(({ uid }) => uid) ?? [], node: (row) => [row.node ?? ''] },
    },
  );
  client.watch = async function* watch() {
    for (let n = 0; n < COUNT; n += 1) yield { type: 'ADDED' as const, object: pod(n) as never };
    yield { type: 'BOOKMARK' as const, resourceVersion: '2000000', isInitialEventsEnd: true };
    await new Promise(() => undefined);
  };
  const before = heapUsed();
  void informer.run(new AbortController().signal);
  while (!informer.hasSynced()) await clock.settle();
  const bytes = (heapUsed() - before) / COUNT;
  expect(informer.size).toBe(COUNT);
  expect(informer.by('owner', 'owner-7')).toHaveLength(20);
  expect(bytes).toBeGreaterThan(100);
  expect(bytes).toBeLessThan(1024);
});
