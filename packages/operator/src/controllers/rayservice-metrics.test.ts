import type { RayService } from '@manta/api';
import { rayService } from '@manta/api/testing';
import { createMetricsRegistry } from '@manta/runtime';
import { expect, it } from 'vitest';
import { exportRayServiceMetrics } from './rayservice-metrics.ts';

const condition = (type: string, status: 'True' | 'False') =>
  ({ type, status, reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }) as const;

it('shows each service with its conditions, and forgets one that is gone', () => {
  const metrics = createMetricsRegistry();
  const ready = { ...rayService('a'), status: { conditions: [condition('Ready', 'True')] } };
  const upgrading = { ...rayService('b'), status: { conditions: [condition('UpgradeInProgress', 'True')] } };
  let known: RayService[] = [ready, upgrading];
  exportRayServiceMetrics(metrics, { records: () => known });
  const of = (name: string) =>
    metrics
      .text()
      .split('\n')
      .filter((line) => line.includes(`name="${name}"`));
  expect(of('a')).toEqual([
    'kuberay_service_condition_ready{condition="true",name="a",namespace="default",uid="uid-a"} 1',
    'kuberay_service_condition_upgrade_in_progress{condition="false",name="a",namespace="default",uid="uid-a"} 1',
    'kuberay_service_info{name="a",namespace="default",uid="uid-a"} 1',
  ]);
  expect(of('b').join()).toContain('kuberay_service_condition_upgrade_in_progress{condition="true",name="b"');
  known = [{ ...ready, status: {} }];
  expect(of('b')).toEqual([]);
  expect(of('a')[0]).toContain('condition="false"');
});
