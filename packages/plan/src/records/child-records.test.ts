import type { Job } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { jobRecord, roleBindingRecord, serviceRecord } from './child-records.ts';
import { UNSHARED } from './sharing.ts';

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

  it('is, of RoleBindings, one with our label; the accounts that it is for are known', () => {
    const binding = {
      metadata: { name: 'demo', namespace: 'ml', labels: { 'ray.io/cluster': 'demo' } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'demo' },
      subjects: [
        { kind: 'ServiceAccount', name: 'mine', namespace: 'ml' },
        { kind: 'User', name: 'somebody' },
      ],
    };
    expect(roleBindingRecord(binding)).toMatchObject({ belongsTo: ['ml/demo'], accounts: ['mine'] });
    expect(roleBindingRecord({ roleRef: binding.roleRef }).accounts).toEqual([]);
  });

  it.each([
    [{ 'ray.io/cluster': 'demo' }, ['ml/demo']],
    [{ 'ray.io/headless-worker-svc': 'demo' }, ['ml/demo']],
    [{ 'ray.io/originated-from-crd': 'RayCluster', 'ray.io/originated-from-cr-name': 'demo' }, ['ml/demo']],
    [{ 'ray.io/originated-from-crd': 'RayService', 'ray.io/originated-from-cr-name': 'demo' }, []],
  ])('is a Service with the labels %j', (labels, expected) => {
    expect(serviceRecord({ metadata: { name: 's', namespace: 'ml', labels } }, UNSHARED).belongsTo).toEqual(expected);
  });

  it('is a Service that it owns, whose labels somebody took away', () => {
    const owner = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'demo', uid: 'c', controller: true };
    const metadata = { name: 's', namespace: 'ml', ownerReferences: [owner] };
    const record = serviceRecord({ metadata, spec: { selector: { 'ray.io/node-type': 'head' } } }, UNSHARED);
    expect(record).toMatchObject({ belongsTo: ['ml/demo'], service: { metadata } });
  });
});
