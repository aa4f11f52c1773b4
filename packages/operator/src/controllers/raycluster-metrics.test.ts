import type { RayCluster, RayClusterStatus } from '@manta/api';
import { rayCluster } from '@manta/api/testing';
import { createMetricsRegistry, toKey } from '@manta/runtime';
import { expect, it } from 'vitest';
import { exportRayClusterMetrics } from './raycluster-metrics.ts';

const CREATED = '2026-01-01T00:00:00Z';
const status = (type: string, value: 'True' | 'False'): RayClusterStatus => ({
  conditions: [{ type, status: value, reason: 'R', message: '', lastTransitionTime: CREATED }],
});
const cluster = (name: string, labels: Record<string, string> = {}, now: RayClusterStatus = {}): RayCluster => ({
  ...rayCluster(name),
  metadata: { name, namespace: 'default', uid: `uid-${name}`, labels, creationTimestamp: CREATED },
  status: now,
});

function setUp(known: readonly RayCluster[]) {
  const metrics = createMetricsRegistry();
  const records = { now: known };
  const told = exportRayClusterMetrics(metrics, { records: () => records.now });
  const of = (name: string) =>
    metrics
      .text()
      .split('\n')
      .filter((line) => line.includes(`name="${name}"`));
  return { records, told, of };
}

it('shows each cluster with whose it is and how it stands, and forgets one that is gone', () => {
  const service = cluster('b', { 'ray.io/originated-from-crd': 'RayService' }, status('HeadPodReady', 'True'));
  const { records, of } = setUp([cluster('a', {}, status('RayClusterProvisioned', 'True')), service]);
  expect(of('a')).toEqual([
    'kuberay_cluster_condition_provisioned{condition="true",name="a",namespace="default",uid="uid-a"} 1',
    'kuberay_cluster_info{name="a",namespace="default",owner_kind="None",uid="uid-a"} 1',
    'manta_cluster_condition_head_pod_ready{condition="false",name="a",namespace="default",uid="uid-a"} 1',
  ]);
  expect(of('b').join()).toContain('owner_kind="RayService"');
  expect(of('b').join()).toContain('manta_cluster_condition_head_pod_ready{condition="true"');
  records.now = [service];
  expect(of('a')).toEqual([]);
});

it('says how long a cluster took when it becomes provisioned, again after a suspension, and not at other times', () => {
  const { told, of } = setUp([]);
  const durations = () => of('a').map((line) => line.split(' ').at(-1));
  const up = status('RayClusterProvisioned', 'True');
  const after = (seconds: number) => Date.parse(CREATED) + seconds * 1000;
  told.wrote(cluster('a'), status('RayClusterProvisioned', 'False'), after(3));
  expect(durations()).toEqual([]);
  told.wrote(cluster('a'), up, after(7));
  expect(durations()).toEqual(['7']);
  told.wrote(cluster('a', {}, up), up, after(9));
  expect(durations()).toEqual(['7']);
  told.wrote(cluster('a', {}, status('RayClusterProvisioned', 'False')), up, after(60));
  expect(durations()).toEqual(['60']);
  told.forget(toKey('default', 'a'));
  expect(durations()).toEqual([]);
});
