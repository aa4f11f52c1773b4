import { defaultFeatureGates, type NetworkPolicy, type RayCluster, readOperatorEnv } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { afterEach, expect, it } from 'vitest';
import { createRayClusterCache, requiredInformers } from '../observe/ray-cluster-cache.ts';
import { createNetworkPolicyCache, createNetworkPolicyController } from './network-policy.ts';

const clock = new FakeClock();
const client = new FakeClient({ clock });
const stop = new AbortController();
afterEach(() => stop.abort());

async function start(): Promise<void> {
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  const policies = createNetworkPolicyCache(world, []);
  const gates = { ...defaultFeatureGates(), RayClusterNetworkPolicy: true };
  const controller = createNetworkPolicyController(world, {
    context: { env: readOperatorEnv({}), gates, operatorVersion: '0.1.0', podDefaults: {} },
    installed: { certManager: false, openShift: false },
    events: { event: () => undefined },
    cache,
    policies,
    concurrency: 1,
  });
  for (const informer of [...requiredInformers(cache), policies]) void informer.run(stop.signal);
  void controller.run(stop.signal, new AbortController().signal);
  await clock.advance(100);
}

it('a policy of ours that has lost its labels gets them back at once, and keeps what others wrote on it', async () => {
  await start();
  await client.create<RayCluster>(resources.rayClusters, {
    metadata: { name: 'demo', namespace: 'ml' },
    spec: rayClusterSpec({ networkPolicy: {} }),
  });
  await clock.advance(1000);
  const read = () => client.get<NetworkPolicy>(resources.networkPolicies, { namespace: 'ml', name: 'demo-head' });
  const made = await read();
  const annotations = { 'team.io/note': 'ours' };
  const bare = { ...made, metadata: { ...made.metadata, labels: {}, annotations } };
  await client.update<NetworkPolicy>(resources.networkPolicies, bare);
  await clock.advance(1000);
  expect((await read()).metadata).toMatchObject({ labels: made.metadata?.labels, annotations });
  expect(made.metadata?.labels).toHaveProperty(['ray.io/cluster'], 'demo');
});
