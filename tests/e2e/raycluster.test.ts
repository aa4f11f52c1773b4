import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay, processesOf } from './support/local-ray.ts';
import { create, exec, isReady, NAMESPACE, podOf, podsOf, python, until, untilObject } from './support/look.ts';
import { NO_DASHBOARD, rayCluster, workers } from './support/manifests.ts';
import { type LocalRayApart, startOperatorApart } from './support/operator-apart.ts';

const ALIVE = 'print(sum(node["Alive"] for node in ray.nodes()))';

/** Ray looks for a head that is gone for a minute, which is long for a test. */
const soonGivingUp = (group: string) =>
  group.replace('{ name: ray-', '{ env: [{ name: RAY_gcs_rpc_server_reconnect_timeout_s, value: "5" }], name: ray-');

describe('a RayCluster on real Ray, whose operator is killed in the middle of each of these and started again,', () => {
  let ray: LocalRayApart;
  const ref = { namespace: NAMESPACE, name: 'a' };
  const group = (groupName: string) => podsOf(ray, { 'ray.io/cluster': 'a', 'ray.io/group': groupName });
  const headName = async () => (await podOf(ray, 'a', 'head'))?.metadata?.name ?? '';

  beforeAll(async () => {
    ray = await startOperatorApart();
    await create(ray, rayCluster('a', { groups: [soonGivingUp(workers('one')), workers('two')] }));
    await until('a head', headName, Boolean);
    await ray.killOperator();
    await untilObject(ray, resources.rayClusters, 'a', ({ status }) => status?.state === 'ready');
  });
  afterAll(() => endLocalRay(ray));

  it('is ready when its pods are, none of them twice, and each is part of one Ray', async () => {
    const pods = await podsOf(ray, { 'ray.io/cluster': 'a' });
    expect(pods).toHaveLength(3);
    expect(pods.every(isReady)).toBe(true);
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
    await ray.killOperator();
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
    await ray.killOperator();
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
    await ray.killOperator();
    await until(
      'no worker of the group',
      () => group('two'),
      (pods) => pods.length === 0,
    );
    expect((await group('one'))[0]?.metadata?.uid).toBe(kept?.metadata?.uid);
  });

  it('has nothing to do with another one beside it, which can be suspended and resumed', async () => {
    const other = { namespace: NAMESPACE, name: 'b' };
    const isIn = (wanted: string) =>
      untilObject(ray, resources.rayClusters, 'b', ({ status }) => status?.state === wanted);
    const suspend = (isOn: boolean) =>
      ray.client.patch(resources.rayClusters, other, { type: 'merge', body: { spec: { suspend: isOn } } });
    const [kept] = await group('one');
    await create(ray, rayCluster('b', { head: NO_DASHBOARD }));
    await isIn('ready');
    const before = await podOf(ray, 'b', 'head');
    expect(await python(ray, before?.metadata?.name ?? '', ALIVE)).toBe('1');
    expect(await python(ray, await headName(), ALIVE)).toBe('2');
    await suspend(true);
    await ray.killOperator();
    await isIn('suspended');
    expect(await podsOf(ray, { 'ray.io/cluster': 'b' })).toEqual([]);
    await suspend(false);
    await until(
      'another head',
      () => podOf(ray, 'b', 'head'),
      (pod) => pod !== undefined,
    );
    await ray.killOperator();
    await isIn('ready');
    expect((await podOf(ray, 'b', 'head'))?.metadata?.uid).not.toBe(before?.metadata?.uid);
    expect((await group('one'))[0]?.metadata?.uid).toBe(kept?.metadata?.uid);
    await ray.client.delete(resources.rayClusters, other);
  });

  it('without fault tolerance has no worker of the old head left when its head was killed', async () => {
    const head = await headName();
    const [before] = await group('one');
    const started = before?.status?.containerStatuses?.[0]?.restartCount ?? 0;
    const count = (await podsOf(ray, { 'ray.io/cluster': 'a' })).length;
    await ray.client.delete(resources.pods, { namespace: NAMESPACE, name: head }, { gracePeriodSeconds: 0 });
    await ray.killOperator();
    await until('another head', headName, (name) => name !== '' && name !== head);
    const all = 'print(len(ray.nodes()), sum(node["Alive"] for node in ray.nodes()))';
    const nodes = await until(
      'all nodes, on the new head',
      async () => python(ray, await headName(), all),
      (text) => text === `${count} ${count}`,
    );
    expect(nodes).toBe(`${count} ${count}`);
    // What ran for the old head has ended: the container runs anew, or another pod is in its place.
    const [after] = await group('one');
    const restarts = after?.status?.containerStatuses?.[0]?.restartCount ?? 0;
    expect(after?.metadata?.uid !== before?.metadata?.uid || restarts > started).toBe(true);
  });

  it('leaves nothing behind when it is deleted', async () => {
    const names = (await podsOf(ray)).map(({ metadata }) => metadata?.name ?? '');
    // Whatever a pod starts has its name as that of the host.
    const running = () => names.flatMap((name) => processesOf(`HOSTNAME=${name}\0`));
    for (const program of ['raylet', 'gcs_server']) expect(running().join('\n')).toContain(program);
    await ray.client.delete(resources.rayClusters, ref);
    await ray.killOperator();
    const left = await until(
      'no pods',
      () => podsOf(ray),
      (pods) => pods.length === 0,
    );
    expect(left).toEqual([]);
    expect(running()).toEqual([]);
  });
});
