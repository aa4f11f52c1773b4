import { describe, expect, it } from 'vitest';
import {
  rayCluster,
  rayCronJob,
  rayJob,
  rayService,
  withAnnotations,
  withLabels,
  withMetadata,
  withSpec,
  withStatus,
  withWorkerGroup,
} from './fixtures.ts';

describe('fixtures', () => {
  it('read like a sentence', () => {
    const cluster = rayCluster(
      'demo',
      withWorkerGroup('small', { replicas: 2 }),
      withWorkerGroup('large'),
      withSpec({ suspend: true }),
      withStatus({ state: 'ready' }),
    );
    expect(cluster).toMatchObject({
      kind: 'RayCluster',
      metadata: { name: 'demo', namespace: 'default' },
      spec: {
        suspend: true,
        workerGroupSpecs: [
          { groupName: 'small', replicas: 2 },
          { groupName: 'large', replicas: 1 },
        ],
      },
      status: { state: 'ready' },
    });
  });

  it('take changes in their order, and add to what is there', () => {
    const job = rayJob(
      'demo',
      withLabels({ a: '1' }),
      withLabels({ b: '2' }),
      withAnnotations({ c: '3' }),
      withMetadata({ uid: 'u' }),
    );
    expect(job.metadata).toMatchObject({ name: 'demo', uid: 'u', labels: { a: '1', b: '2' }, annotations: { c: '3' } });
    expect(rayJob('x', withSpec({ backoffLimit: 1 }), withSpec({ backoffLimit: 2 })).spec?.backoffLimit).toBe(2);
    expect(rayService('x', withSpec({ suspend: true })).spec?.rayClusterConfig.workerGroupSpecs).toHaveLength(1);
    expect(rayCronJob('x', withSpec({ schedule: '@hourly' })).spec?.schedule).toBe('@hourly');
  });
});
