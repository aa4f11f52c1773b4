import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay, type LocalRay, processesOf, startLocalRay } from './support/local-ray.ts';
import { create, exec, isReady, NAMESPACE, podOf, podsOf, python, until, untilObject } from './support/look.ts';
import { rayCluster, workers } from './support/manifests.ts';

const ALIVE = 'print(sum(node["Alive"] for node in ray.nodes()))';

describe('a RayCluster on real Ray', () => {
  let ray: LocalRay;
  const ref = { namespace: NAMESPACE, name: 'a' };
  const group = (groupName: string) => podsOf(ray, { 'ray.io/cluster': 'a', 'ray.io/group': groupName });
  const headName = async () => (await podOf(ray, 'a', 'head'))?.metadata?.name ?? '';

  beforeAll(async () => {
    ray = await startLocalRay();
    await create(ray, rayCluster('a', { groups: [workers('one'), workers('two')] }));
    await untilObject(ray, resources.rayClusters, 'a', ({ status }) => status?.state === 'ready');
  });
  afterAll(() => endLocalRay(ray));

  it('is ready when its pods are, and each of them is part of one Ray', async () => {
    const pods = await podsOf(ray, { 'ray.io/cluster': 'a' });
    expect(pods.filter(isReady)).toHaveLength(3);
    const { status } = await ray.client.get(resources.rayClusters, ref);
    expect(status).toMatchObject({ readyWorkerReplicas: 2, availableWorkerReplicas: 2, desiredWorkerReplicas: 2 });
    for (const { metadata } of pods) expect(await python(ray, metadata?.name ?? '', ALIVE)).toBe('3');
  });

  it('has its head under the name of its Service, in every pod', async () => {
    const head = await podOf(ray, 'a', 'head');
    for (const { metadata } of await podsOf(ray, { 'ray.io/cluster': 'a' }))
      expect(
        await exec(ray, metadata?.name ?? '', ['getent', 'hosts', 'a-head-svc.default.svc.cluster.local']),
      ).toMatch(new RegExp(`^${head?.status?.podIP} `));
  });

  it('gets another worker for one that was deleted', async () => {
    const [before] = await group('one');
    await ray.client.delete(resources.pods, { namespace: NAMESPACE, name: before?.metadata?.name ?? '' });
    const after = await until(
      'a new worker',
      () => group('one'),
      (pods) => pods.length === 1 && pods[0]?.metadata?.uid !== before?.metadata?.uid && isReady(pods[0]),
    );
    expect(after).toHaveLength(1);
    expect(
      await until(
        'three nodes',
        async () => python(ray, await headName(), ALIVE),
        (count) => count === '3',
      ),
    ).toBe('3');
  });

  it('gets another worker for one whose processes were killed', async () => {
    const [before] = await group('one');
    const name = before?.metadata?.name ?? '';
    await exec(ray, name, ['sh', '-c', 'kill -9 $(pgrep raylet)']);
    const after = await until(
      'a worker after it',
      () => group('one'),
      ([pod]) =>
        isReady(pod) &&
        (pod?.metadata?.uid !== before?.metadata?.uid || (pod?.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0),
    );
    expect(after).toHaveLength(1);
  });

  it('loses the workers of a group that is taken out of its spec, and only those', async () => {
    const [kept] = await group('one');
    const { spec } = await ray.client.get(resources.rayClusters, ref);
    const left = spec?.workerGroupSpecs?.filter(({ groupName }) => groupName !== 'two');
    await ray.client.patch(resources.rayClusters, ref, { type: 'merge', body: { spec: { workerGroupSpecs: left } } });
    await until(
      'no worker of the group',
      () => group('two'),
      (pods) => pods.length === 0,
    );
    expect((await group('one'))[0]?.metadata?.uid).toBe(kept?.metadata?.uid);
  });

  it('leaves nothing behind when it is deleted', async () => {
    await ray.client.delete(resources.rayClusters, ref);
    const left = await until(
      'no pods',
      () => podsOf(ray),
      (pods) => pods.length === 0,
    );
    expect(left).toEqual([]);
    expect(processesOf(ray.folder).filter((line) => /raylet|gcs_server/.test(line))).toEqual([]);
  });
});
