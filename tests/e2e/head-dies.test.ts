import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { create, exec, isReady, NAMESPACE, podOf, python, until, untilObject } from './support/look.ts';
import { NO_DASHBOARD, rayCluster, workers } from './support/manifests.ts';

const MAKE = `
@ray.remote(num_cpus=0.1)
class Counter:
    def __init__(self): self.count = 0
    def add(self): self.count += 1; return self.count
counter = Counter.options(name="counter", lifetime="detached").remote()
print(ray.get([counter.add.remote() for _ in range(3)])[-1])`;
const ADD = 'print(ray.get(ray.get_actor("counter").add.remote(), timeout=30))';

describe('a head that dies, with its state on a volume', () => {
  let ray: LocalRay;

  beforeAll(async () => {
    ray = await startLocalRay({ args: ['--feature-gates=GCSFaultToleranceEmbeddedStorage=true'] });
    // No CPUs of its own: what runs, runs on the worker.
    const more = 'gcsFaultToleranceOptions: { backend: rocksdb, storage: { size: 1Gi } },';
    await create(ray, rayCluster('ft', { groups: [workers('w')], head: `num-cpus: "0", ${NO_DASHBOARD}`, more }));
    await untilObject(ray, resources.rayClusters, 'ft', ({ status }) => status?.state === 'ready');
  });
  afterAll(() => endLocalRay(ray));

  it('comes back at another address, its worker rejoins, and a detached actor has kept what it knew', async () => {
    const [head, worker] = await Promise.all([podOf(ray, 'ft', 'head'), podOf(ray, 'ft', 'worker')]);
    expect(await python(ray, head?.metadata?.name ?? '', MAKE)).toBe('3');
    await ray.client.delete(
      resources.pods,
      { namespace: NAMESPACE, name: head?.metadata?.name ?? '' },
      { gracePeriodSeconds: 0 },
    );
    const next = await until(
      'another head',
      () => podOf(ray, 'ft', 'head'),
      (pod) => pod?.metadata?.uid !== head?.metadata?.uid && isReady(pod),
    );
    expect(next?.status?.podIP).not.toBe(head?.status?.podIP);
    const count = await until(
      'the actor',
      () => python(ray, next?.metadata?.name ?? '', ADD),
      (text) => text !== '',
    );
    expect(count).toBe('4');
    const after = await podOf(ray, 'ft', 'worker');
    expect(after?.metadata?.uid).toBe(worker?.metadata?.uid);
    expect(after?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('has its data in a claim, which goes with the cluster', async () => {
    const claims = async () =>
      (await ray.client.list(resources.persistentVolumeClaims, { namespace: NAMESPACE })).items;
    expect(await claims()).toHaveLength(1);
    const head = await podOf(ray, 'ft', 'head');
    expect(await exec(ray, head?.metadata?.name ?? '', ['sh', '-c', 'ls "$RAY_gcs_storage_path" | wc -l'])).not.toBe(
      '0',
    );
    await ray.client.delete(resources.rayClusters, { namespace: NAMESPACE, name: 'ft' });
    expect(await until('no claim', claims, (left) => left.length === 0)).toEqual([]);
  });
});
