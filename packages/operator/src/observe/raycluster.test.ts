import { type KubeObject, Label, NodeType } from '@manta/api';
import { resources } from '@manta/kube';
import type { Informer, ReconcileContext } from '@manta/runtime';
import { FakeClient } from '@manta/runtime/testing';
import { expect, it } from 'vitest';
import type { RayClusterCache } from './ray-cluster-cache.ts';
import { observeRayCluster, type RayClusterObserver } from './raycluster.ts';

/** Knows nothing, as a cache that is behind does. */
const behind = {
  get: () => undefined,
  by: () => [],
  isReady: () => true,
  status: () => ({ phase: 'synced', troubles: [] }),
} as unknown as Informer;
const cache = new Proxy({}, { get: (_, name) => (name === 'gangs' ? [] : behind) }) as RayClusterCache;

const observerOf = (client: FakeClient, more: object = {}) =>
  ({
    cache,
    client,
    lastHolders: { of: () => new Map() },
    failingPods: { backoffs: () => new Map() },
    now: () => 0,
    ...more,
  }) as unknown as RayClusterObserver;

it('sees of the server itself what the cache would hold: Ray pods of this cluster, and no others', async () => {
  const client = new FakeClient();
  const namespace = 'ns';
  const create = (name: string, labels: Record<string, string>) =>
    client.create<KubeObject>(resources.pods, { kind: 'Pod', metadata: { name, namespace, labels } });
  await client.create<KubeObject>(resources.rayClusters, { kind: 'RayCluster', metadata: { name: 'a', namespace } });
  await create('head', { [Label.Cluster]: 'a', [Label.NodeType]: NodeType.Head });
  await create('other', { [Label.Cluster]: 'b', [Label.NodeType]: NodeType.Head });
  await create('submitter', { [Label.Cluster]: 'a' });
  const observer = observerOf(client);
  const pass = { key: 'ns/a', freshness: 'live', signal: new AbortController().signal } as ReconcileContext;
  expect((await observeRayCluster(observer, pass))?.pods.map(({ name }) => name)).toEqual(['head']);
  expect(await observeRayCluster(observer, { ...pass, freshness: 'cached' })).toBeUndefined();
  expect(await observeRayCluster(observer, { ...pass, key: 'ns/gone' })).toBeUndefined();
});

it('knows that pods are gone which the cache still shows, and not those that it showed only after the server was asked', async () => {
  const client = new FakeClient();
  const namespace = 'ns';
  const labels = { [Label.Cluster]: 'a', [Label.NodeType]: NodeType.Worker };
  await client.create<KubeObject>(resources.rayClusters, { kind: 'RayCluster', metadata: { name: 'a', namespace } });
  const there = await client.create<KubeObject>(resources.pods, { metadata: { name: 'there', namespace, labels } });
  const shown = [{ uid: there.metadata?.uid }, { uid: 'lost' }];
  const late = { ...behind, by: () => [...shown] };
  const gone: unknown[] = [];
  const observer = observerOf(client, {
    cache: new Proxy({}, { get: (_, name) => (name === 'gangs' ? [] : name === 'pods' ? late : behind) }),
    lastHolders: { of: () => new Map(), gone: (pods: readonly unknown[]) => void gone.push(...pods) },
  });
  const pass = { key: 'ns/a', freshness: 'live', signal: new AbortController().signal } as ReconcileContext;
  const looking = observeRayCluster(observer, pass);
  shown.push({ uid: 'later' });
  await looking;
  expect(gone).toEqual([{ uid: 'lost' }]);
});

it('reads once more when the cluster has changed while its pods were listed and no head is there', async () => {
  const client = new FakeClient();
  const cluster = { kind: 'RayCluster', metadata: { name: 'a', namespace: 'ns' } };
  const made = await client.create<KubeObject>(resources.rayClusters, cluster);
  // Between the reads a head comes, is noted, and is lost.
  const noted = { ...made, status: { head: { podName: 'lost' } } };
  client.faults.onRequest = ({ verb, path }) => {
    if (verb !== 'list' || !path.endsWith('/pods')) return;
    client.faults.onRequest = undefined;
    void client.update<KubeObject>(resources.rayClusters, noted, { subresource: 'status' });
  };
  const observer = observerOf(client);
  const pass = { key: 'ns/a', freshness: 'live', signal: new AbortController().signal } as ReconcileContext;
  expect((await observeRayCluster(observer, pass))?.cluster.status?.head?.podName).toBe('lost');
});
