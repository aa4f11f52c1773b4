import { describe, expect, it } from 'vitest';
import { NOW, type ObservedOptions, worker } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';

describe('pods with the label of a cluster that is being suspended', () => {
  const created = new Date(NOW - 10_000).toISOString();
  const former = { owner: 'former-uid', ownerCluster: 'demo', createdAt: NOW - 60_000 };
  const suspending = [
    {
      type: 'RayClusterSuspending',
      status: 'True',
      reason: 'UserRequestedSuspend',
      message: '',
      lastTransitionTime: created,
    } as const,
  ];
  const options = (pod: object): ObservedOptions => ({
    spec: { suspend: true },
    status: { conditions: suspending },
    metadata: { creationTimestamp: created },
    pods: [{ ...worker(0), ...pod }],
  });
  const deletions = (pod: object) => plan(options(pod)).filter((action) => action.startsWith('delete Pod'));

  it('are deleted when a deleted cluster of the same name has left them', () => {
    expect(deletions(former)).toHaveLength(1);
  });

  it.each([
    ['no controller owns them', { ...former, owner: undefined, ownerCluster: undefined }],
    ['a controller of another kind owns them', { ...former, ownerCluster: undefined }],
    ['a cluster of another name owns them', { ...former, ownerCluster: 'other' }],
    ['they are younger than the cluster', { ...former, createdAt: NOW }],
    ['they are being deleted already', { ...former, isTerminating: true }],
  ])('are left alone when %s', (_, pod) => {
    expect(deletions(pod)).toEqual([]);
  });
});
