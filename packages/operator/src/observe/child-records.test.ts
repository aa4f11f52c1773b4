import type { Job } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { jobRecord, serviceRecord } from './child-records.ts';

describe('what belongs to a cluster', () => {
  const job = (nodeType?: string): Job => ({
    metadata: {
      name: 'j',
      namespace: 'ml',
      uid: 'u',
      labels: { 'ray.io/cluster': 'demo', ...(nodeType === undefined ? {} : { 'ray.io/node-type': nodeType }) },
    },
    status: { conditions: [{ type: 'Complete', status: 'True' }] },
  });

  it('is, of Jobs, one that cleans Redis and no other', () => {
    expect(jobRecord(job('redis-cleanup'))).toMatchObject({ belongsTo: ['ml/demo'], outcome: 'Complete' });
    expect(jobRecord(job()).belongsTo).toEqual([]);
  });

  it.each([
    [{ 'ray.io/cluster': 'demo' }, ['ml/demo']],
    [{ 'ray.io/headless-worker-svc': 'demo' }, ['ml/demo']],
    [{ 'ray.io/originated-from-crd': 'RayCluster', 'ray.io/originated-from-cr-name': 'demo' }, ['ml/demo']],
    [{ 'ray.io/originated-from-crd': 'RayService', 'ray.io/originated-from-cr-name': 'demo' }, []],
  ])('is a Service with the labels %j', (labels, expected) => {
    expect(serviceRecord({ metadata: { name: 's', namespace: 'ml', labels } }).belongsTo).toEqual(expected);
  });
});
