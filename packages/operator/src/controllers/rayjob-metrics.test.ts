import type { RayJob, RayJobStatus } from '@manta/api';
import { rayJob, withStatus } from '@manta/api/testing';
import { createMetricsRegistry, type MetricsRegistry } from '@manta/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { exportRayJobMetrics, type RayJobMetrics } from './rayjob-metrics.ts';

const NOW = Date.parse('2026-08-01T12:00:00Z');
let registry: MetricsRegistry;
let known: RayJob[];
let metrics: RayJobMetrics;

beforeEach(() => {
  registry = createMetricsRegistry();
  known = [rayJob('a', withStatus<RayJob>({ jobDeploymentStatus: 'Running' })), rayJob('b')];
  metrics = exportRayJobMetrics(registry, { records: () => known });
});

const lines = (part: string) =>
  registry
    .text()
    .split('\n')
    .filter((line) => !line.startsWith('#') && line.includes(part));

describe('metrics of RayJobs', () => {
  it('show each job and its stage, and forget one that is gone', () => {
    expect(lines('name="a"')).toEqual([
      'kuberay_job_deployment_status{deployment_status="Running",name="a",namespace="default",uid="uid-a"} 1',
      'kuberay_job_info{name="a",namespace="default",uid="uid-a"} 1',
    ]);
    expect(lines('name="b"')[0]).toContain('deployment_status=""');
    known = known.slice(1);
    expect(lines('name="a"')).toEqual([]);
    expect(lines('name="b"')).toHaveLength(2);
  });

  const end = (from: RayJobStatus, to: RayJobStatus) =>
    metrics.wrote(rayJob('a', withStatus<RayJob>(from)), { startTime: '2026-08-01T11:58:30Z', ...to }, NOW);

  it.each(['Complete', 'Failed', 'Retrying'] as const)('tell how long an attempt took that ends in %s', (stage) => {
    end({ jobDeploymentStatus: 'Running', failed: 2 }, { jobDeploymentStatus: stage, failed: 3 });
    expect(lines('duration')).toEqual([
      `kuberay_job_execution_duration_seconds{job_deployment_status="${stage}",name="a",namespace="default",retry_count="2",uid="uid-a"} 90`,
    ]);
  });

  it('tell nothing while an attempt goes on, and nothing twice', () => {
    end({ jobDeploymentStatus: 'Initializing' }, { jobDeploymentStatus: 'Running' });
    end({ jobDeploymentStatus: 'Complete' }, { jobDeploymentStatus: 'Complete' });
    end(
      { jobDeploymentStatus: 'ValidationFailed', endTime: '2026-08-01T11:59:00Z' },
      { jobDeploymentStatus: 'Complete' },
    );
    expect(lines('duration')).toEqual([]);
  });

  it('forget the durations of a job that is gone, and of no other', () => {
    end({}, { jobDeploymentStatus: 'Failed' });
    metrics.forget('default/other');
    metrics.forget('other/a');
    expect(lines('duration')).toHaveLength(1);
    metrics.forget('default/a');
    expect(lines('duration')).toEqual([]);
  });
});
