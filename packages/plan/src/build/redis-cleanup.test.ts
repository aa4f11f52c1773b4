import type { GcsFaultToleranceOptions, Job, RayCluster, RayClusterSpec } from '@manta/api';
import { podTemplate, rayCluster, withAnnotations, withHead, withSpec } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../testing/build-context.ts';
import { buildRedisCleanupJob, type RedisCleanupOptions } from './redis-cleanup.ts';

const redis = (options: GcsFaultToleranceOptions = { redisAddress: 'redis:6379' }) =>
  withSpec<RayCluster>({ gcsFaultToleranceOptions: options });
const jobOf = (cluster: RayCluster, options?: RedisCleanupOptions, context = buildContext()) =>
  buildRedisCleanupJob(cluster, cluster.spec as RayClusterSpec, context, options);
const podOf = (job: Job | undefined) => job?.spec?.template.spec;

describe('buildRedisCleanupJob()', () => {
  it('runs once, for five minutes at most, in a small container of the head’s image', () => {
    const job = jobOf(rayCluster('demo', redis(), withSpec({ enableInTreeAutoscaling: true })));
    expect(job?.metadata).toMatchObject({
      name: 'demo-redis-cleanup',
      labels: { 'ray.io/node-type': 'redis-cleanup', 'ray.io/group': 'headgroup', 'ray.io/cluster': 'demo' },
      annotations: { 'ray.io/ft-enabled': 'true', 'ray.io/external-storage-namespace': 'uid-demo' },
    });
    expect(job?.spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 300 });
    expect(podOf(job)?.restartPolicy).toBe('Never');
    expect(podOf(job)?.containers).toHaveLength(1);
    const [container] = podOf(job)?.containers ?? [];
    expect(container).toMatchObject({
      image: 'rayproject/ray:2.52.0',
      command: ['/bin/bash', '-c', '--'],
      resources: { limits: { cpu: '200m', memory: '256Mi' }, requests: { cpu: '200m', memory: '256Mi' } },
    });
    expect(container?.livenessProbe).toBeUndefined();
    expect(container?.readinessProbe).toBeUndefined();
    expect(container?.env?.slice(-2)).toEqual([
      { name: 'RAY_redis_db_connect_retries', value: '120' },
      { name: 'RAY_redis_db_connect_wait_milliseconds', value: '500' },
    ]);
  });

  it('asks for as much as the annotations say, else the installation, and takes nonsense for silence', () => {
    const env = { REDIS_CLEANUP_CPU: '1', REDIS_CLEANUP_MEMORY: '1Gi' };
    const annotations = { 'ray.io/redis-cleanup-memory': '2Gi', 'ray.io/redis-cleanup-cpu': 'much' };
    const job = jobOf(rayCluster('demo', redis(), withAnnotations(annotations)), {}, buildContext({ env }));
    const amounts = { cpu: '1', memory: '2Gi' };
    expect(podOf(job)?.containers[0]?.resources).toEqual({ limits: amounts, requests: amounts });
  });

  it('can be found again, whatever labels the user has given the head', () => {
    const labels = { 'app.kubernetes.io/created-by': 'me' };
    const template = { metadata: { labels }, ...podTemplate('ray-head') };
    const job = jobOf(rayCluster('demo', redis(), withHead({ template })));
    expect(job?.metadata?.labels?.['app.kubernetes.io/created-by']).toBe('kuberay-operator');
  });

  it('passes a user name only where the head has one', () => {
    const script = (options: GcsFaultToleranceOptions) =>
      podOf(jobOf(rayCluster('demo', redis(options))))?.containers[0]?.args?.[0];
    expect(script({ redisAddress: 'r:1' })).not.toContain('username');
    expect(script({ redisAddress: 'r:1', redisUsername: { value: 'me' } })).toContain('username=');
  });

  it("keeps the user's init containers, but does not wait for a certificate", () => {
    const template = { spec: { initContainers: [{ name: 'mine' }], containers: [{ name: 'ray' }] } };
    const cluster = rayCluster('demo', redis(), withHead({ template }), withSpec({ tlsOptions: { enabled: true } }));
    const job = jobOf(cluster, {}, buildContext({ gates: { RayClusterMTLS: true } }));
    expect(podOf(job)?.initContainers?.map(({ name }) => name)).toEqual(['mine']);
  });

  it('takes the resources that an installation gives it', () => {
    const resources = { requests: { cpu: '10m' } };
    expect(podOf(jobOf(rayCluster('demo', redis()), { resources }))?.containers[0]?.resources).toBe(resources);
  });

  it('keeps its name within the limit', () => {
    expect(jobOf(rayCluster('x'.repeat(53), redis()))?.metadata?.name).toBe(`${'x'.repeat(49)}-redis-cleanup`);
  });

  it('is needed only where state lies in Redis', () => {
    expect(jobOf(rayCluster('demo'))).toBeUndefined();
    expect(jobOf(rayCluster('demo', redis({ backend: 'rocksdb' })))).toBeUndefined();
    expect(jobOf(rayCluster('demo', withAnnotations({ 'ray.io/ft-enabled': 'true' })))).toBeDefined();
  });
});
