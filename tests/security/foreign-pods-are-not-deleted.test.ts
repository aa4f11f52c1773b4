import type { Pod, RayCluster, RayClusterSpec } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { isNotFound, resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { tenantTests } from './support/tenant.ts';

const tenant = tenantTests();

/** A pod of somebody else that carries labels of the cluster. */
function labelled(name: string, labels: Readonly<Record<string, string>>): Pod {
  const metadata = { name, labels: { 'ray.io/cluster': 'c1', ...labels } };
  return { metadata, spec: { containers: [{ name: 'c', image: 'x' }] } };
}

const FOREIGN = {
  plain: {},
  head: { 'ray.io/node-type': 'head', 'ray.io/group': 'headgroup' },
  worker: { 'ray.io/node-type': 'worker', 'ray.io/group': 'small' },
  lost: { 'ray.io/node-type': 'worker', 'ray.io/group': 'no-longer-there' },
};

async function createStrangers(): Promise<void> {
  const { create } = tenant();
  for (const [name, labels] of Object.entries(FOREIGN)) await create<Pod>(resources.pods, labelled(name, labels));
}

async function createCluster(spec: Partial<RayClusterSpec> = {}): Promise<void> {
  const { create, get, until } = tenant();
  await create<RayCluster>(resources.rayClusters, {
    metadata: { name: 'c1' },
    spec: rayClusterSpec({ workerGroupSpecs: [workerGroup('small', { replicas: 2 })], ...spec }),
  });
  await until('the cluster to be ready', async () => {
    const { status } = await get<RayCluster>(resources.rayClusters, 'c1');
    return status?.state === 'ready' ? true : undefined;
  });
}

/** The foreign pods come last: also an operator that takes them for the cluster's own gets to the point where it would delete them. */
async function withCluster(spec: Partial<RayClusterSpec> = {}): Promise<void> {
  await createCluster(spec);
  await createStrangers();
}

/** The pods that are there, without those of the operator. */
async function strangers(): Promise<readonly string[]> {
  const { names } = tenant();
  return (await names(resources.pods)).filter((name) => name in FOREIGN).toSorted();
}

async function ownGone(): Promise<void> {
  const { names, until } = tenant();
  await until('the own pods to be deleted', async () =>
    (await names(resources.pods)).every((name) => name in FOREIGN) ? true : undefined,
  );
}

describe('pods that only carry the labels of a RayCluster', () => {
  it('are not counted: the cluster gets a head and workers of its own', async () => {
    await createStrangers();
    await createCluster();
    const { names, get } = tenant();
    expect(await names(resources.pods)).toHaveLength(Object.keys(FOREIGN).length + 3);
    const { status } = await get<RayCluster>(resources.rayClusters, 'c1');
    expect(status?.head?.podName).toMatch(/^c1-head-/);
  });

  it('survive the suspension of the cluster', async () => {
    await withCluster();
    await tenant().patch(resources.rayClusters, 'c1', { spec: { suspend: true } });
    await ownGone();
    expect(await strangers()).toEqual(Object.keys(FOREIGN).toSorted());
  });

  it('survive the suspension of a worker group', async () => {
    await withCluster();
    const { names, patch, until } = tenant();
    const workerGroupSpecs = [workerGroup('small', { replicas: 2, suspend: true })];
    await patch(resources.rayClusters, 'c1', { spec: { workerGroupSpecs } });
    await until('the workers to be deleted', async () =>
      (await names(resources.pods)).some((name) => name.includes('-worker-')) ? undefined : true,
    );
    expect(await strangers()).toEqual(Object.keys(FOREIGN).toSorted());
  });

  it('survive that the cluster is recreated for another spec', async () => {
    await withCluster({ upgradeStrategy: { type: 'Recreate' } });
    const { names, patch, until } = tenant();
    const before = await names(resources.pods);
    await patch(resources.rayClusters, 'c1', { spec: { rayVersion: '2.99.0' } });
    await until('the head to be replaced', async () => {
      const now = await names(resources.pods);
      return now.some((name) => name.startsWith('c1-head-') && !before.includes(name)) ? true : undefined;
    });
    expect(await strangers()).toEqual(Object.keys(FOREIGN).toSorted());
  });

  it('survive a scale-down, also by name', async () => {
    await withCluster();
    const { names, patch, until } = tenant();
    const scaleStrategy = { workersToDelete: ['worker', 'plain'] };
    const workerGroupSpecs = [workerGroup('small', { replicas: 0, minReplicas: 0, scaleStrategy })];
    await patch(resources.rayClusters, 'c1', { spec: { workerGroupSpecs } });
    await until('the workers to be deleted', async () =>
      (await names(resources.pods)).some((name) => name.includes('-worker-')) ? undefined : true,
    );
    expect(await strangers()).toEqual(Object.keys(FOREIGN).toSorted());
  });

  it('survive the deletion of a cluster that cleans up Redis', async () => {
    await withCluster({ gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } });
    const { admin, namespace, get, until } = tenant();
    await admin.delete(resources.rayClusters, { namespace, name: 'c1' });
    await until('the cleanup Job or the end of the cluster', async () => {
      const jobs = await admin.list(resources.jobs, { namespace });
      const isGone = await get(resources.rayClusters, 'c1').then(() => false, isNotFound);
      return jobs.items.length > 0 || isGone ? true : undefined;
    });
    expect(await strangers()).toEqual(Object.keys(FOREIGN).toSorted());
  });
});
