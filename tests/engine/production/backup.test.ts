import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runManta } from '../../support/manta-up.ts';
import { type Plane, startPlane } from './plane.ts';

const samples = join(import.meta.dirname, '../../../samples');
const ray = '/apis/ray.io/v1/namespaces/default';

describe('a backup of Ray objects', () => {
  let old: Plane;
  let restored: Plane;
  let backup = '';

  beforeAll(async () => {
    [old, restored] = await Promise.all([startPlane(), startPlane()]);
    for (const file of ['raycluster', 'rayjob', 'rayservice', 'rayjob-failing'])
      await old.kubectl(['apply', '-f', join(samples, `${file}.yaml`)]);
    await vi.waitUntil(async () => (await names(old, 'rayclusters')).length === 4, { timeout: 30_000, interval: 200 });
    const status = { status: { jobDeploymentStatus: 'Failed', jobStatus: 'FAILED' } };
    const merge = { 'content-type': 'application/merge-patch+json' };
    await old.request('PATCH', `${ray}/rayjobs/failing/status`, status, merge);
    backup = (await runManta(['backup', '--kubeconfig', old.kubeconfig])).stdout;
  }, 120_000);
  afterAll(() => Promise.all([old?.stop(), restored?.stop()]));

  it('has what users created, without clusters of jobs and services and without ended jobs', () => {
    const objects = parseAllDocuments(backup).map((document) => document.toJS() as { kind: string; metadata: object });
    expect(objects.map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ['RayCluster', { name: 'sample', namespace: 'default' }],
      ['RayService', { name: 'greeter', namespace: 'default' }],
      ['RayJob', { name: 'hello', namespace: 'default' }],
    ]);
  });

  it('has ended jobs if asked, and one namespace if asked', async () => {
    const all = await runManta(['backup', '--ended-jobs', '--kubeconfig', old.kubeconfig]);
    expect(all.stdout).toContain('name: failing');
    const none = await runManta(['backup', '-n', 'other', '--kubeconfig', old.kubeconfig]);
    expect(none).toMatchObject({ status: 0, stdout: '', stderr: 'manta: 0 Ray objects\n' });
  });

  it('is restored into a new control plane, where the operator starts all of it', async () => {
    const applied = await restored.kubectl(['apply', '--server-side', '-f', '-'], backup);
    expect(applied).toMatchObject({ status: 0, stderr: '' });
    await vi.waitUntil(async () => (await names(restored, 'rayclusters')).length === 3, {
      timeout: 30_000,
      interval: 200,
    });
    expect(await names(restored, 'rayjobs')).toEqual(['hello']);
    await vi.waitUntil(async () => (await headPods(restored)).includes('sample'), { timeout: 30_000, interval: 200 });
    const spec = async (plane: Plane) =>
      ((await plane.request('GET', `${ray}/rayservices/greeter`)).body as { spec: unknown }).spec;
    expect(await spec(restored)).toEqual(await spec(old));
  });
});

async function names(plane: Plane, kind: string): Promise<readonly string[]> {
  const { items } = (await plane.request('GET', `${ray}/${kind}`)).body as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

/** The clusters that have a head pod. */
async function headPods(plane: Plane): Promise<readonly string[]> {
  const path = '/api/v1/namespaces/default/pods?labelSelector=ray.io/node-type%3Dhead';
  const { items } = (await plane.request('GET', path)).body as {
    items: { metadata: { labels: Record<string, string> } }[];
  };
  return items.map(({ metadata }) => metadata.labels['ray.io/cluster'] ?? '');
}
