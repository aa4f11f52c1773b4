import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provideRedis } from '../../tools/fetch/redis/provide.ts';
import { endLocalRay } from './support/local-ray.ts';
import { create, exec, isReady, NAMESPACE, podOf, python, until, untilObject } from './support/look.ts';
import { NO_DASHBOARD, rayCluster, workers } from './support/manifests.ts';
import { type LocalRayApart, startOperatorApart } from './support/operator-apart.ts';

const MAKE = `
@ray.remote(num_cpus=0.1)
class Counter:
    def __init__(self): self.count = 0
    def add(self): self.count += 1; return self.count
counter = Counter.options(name="counter", lifetime="detached").remote()
print(ray.get([counter.add.remote() for _ in range(3)])[-1])`;
const ADD = 'print(ray.get(ray.get_actor("counter").add.remote(), timeout=30))';

/** Which way a cluster keeps the state of its head. */
const KEEPERS = {
  'on a volume': 'backend: rocksdb, storage: { size: 1Gi }',
  'in Redis': 'redisAddress: "redis:6379"',
} as const;

const REDIS = `
apiVersion: v1
kind: Pod
metadata: { name: redis, labels: { app: redis } }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - { name: redis, image: "redis:7", command: [redis-server, --protected-mode, "no"], readinessProbe: { tcpSocket: { port: 6379 }, periodSeconds: 1 } }
---
{ apiVersion: v1, kind: Service, metadata: { name: redis }, spec: { selector: { app: redis }, ports: [{ port: 6379 }] } }
`;

let ray: LocalRayApart;
beforeAll(async () => {
  const gate = '--feature-gates=GCSFaultToleranceEmbeddedStorage=true';
  ray = await startOperatorApart({ args: [`--image=redis=${await provideRedis()}`], operatorArgs: [gate] });
  await create(ray, REDIS);
  await untilObject(ray, resources.pods, 'redis', isReady);
});
afterAll(() => endLocalRay(ray));

describe.each(Object.entries(KEEPERS))('a head that dies with the operator, its state %s,', (where, options) => {
  const name = where === 'in Redis' ? 'with-redis' : 'with-volume';

  beforeAll(async () => {
    // No CPUs of its own: what runs, runs on the worker.
    const more = `gcsFaultToleranceOptions: { ${options} },`;
    await create(ray, rayCluster(name, { groups: [workers('w')], head: `num-cpus: "0", ${NO_DASHBOARD}`, more }));
    await untilObject(ray, resources.rayClusters, name, ({ status }) => status?.state === 'ready');
  });

  it('comes back at another address, its worker rejoins, and a detached actor has kept what it knew', async () => {
    const [head, worker] = await Promise.all([podOf(ray, name, 'head'), podOf(ray, name, 'worker')]);
    expect(await python(ray, head?.metadata?.name ?? '', MAKE)).toBe('3');
    await ray.client.delete(
      resources.pods,
      { namespace: NAMESPACE, name: head?.metadata?.name ?? '' },
      { gracePeriodSeconds: 0 },
    );
    await ray.killOperator();
    const next = await until(
      'another head',
      () => podOf(ray, name, 'head'),
      (pod) => pod?.metadata?.uid !== head?.metadata?.uid && isReady(pod),
    );
    expect(next?.status?.podIP).not.toBe(head?.status?.podIP);
    const count = await until(
      'the actor',
      () => python(ray, next?.metadata?.name ?? '', ADD),
      (text) => text !== '',
    );
    expect(count).toBe('4');
    const after = await podOf(ray, name, 'worker');
    expect(after?.metadata?.uid).toBe(worker?.metadata?.uid);
    expect(after?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('leaves nothing behind: what was kept goes with the cluster, though the operator dies once more', async () => {
    const claims = async () =>
      (await ray.client.list(resources.persistentVolumeClaims, { namespace: NAMESPACE })).items;
    const kept = await claims();
    expect(kept.map(({ status }) => status?.phase)).toEqual(where === 'in Redis' ? [] : ['Bound']);
    const keys = () => exec(ray, 'redis', ['redis-cli', 'dbsize']);
    expect((await keys()) === '0').toBe(where !== 'in Redis');
    await ray.client.delete(resources.rayClusters, { namespace: NAMESPACE, name });
    await ray.killOperator();
    const clusters = async () => (await ray.client.list(resources.rayClusters, { namespace: NAMESPACE })).items;
    await until('no cluster', clusters, (left) => left.length === 0);
    expect(await until('no claim', claims, (left) => left.length === 0)).toEqual([]);
    expect(await keys()).toBe('0');
  });
});
