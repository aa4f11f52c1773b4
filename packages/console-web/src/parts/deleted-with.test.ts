import { describe, expect, it } from 'vitest';
import { INITIAL, reduce } from '../live/store.ts';
import { deletedWith } from './deleted-with.ts';

const owned = (name: string, owner: string) => ({
  metadata: {
    name,
    namespace: 'a',
    uid: name,
    ownerReferences: [{ apiVersion: 'ray.io/v1', kind: 'any', name: owner, uid: owner }],
  },
});

describe('deletedWith()', () => {
  const { objects } = reduce(INITIAL, [
    { type: 'snapshot', kind: 'RayJob', items: [owned('run-1', 'cron')] },
    { type: 'snapshot', kind: 'RayCluster', items: [owned('cluster-1', 'run-1'), owned('cluster-2', 'other')] },
    { type: 'snapshot', kind: 'Pod', items: [owned('pod-1', 'cluster-1'), owned('pod-2', 'cluster-1')] },
  ]);

  it('follows owners down to the pods', () => {
    expect(deletedWith(objects, 'cron')).toEqual(['RayJob run-1', 'RayCluster cluster-1', '2 pods']);
  });

  it('names nothing for an object that owns nothing', () => {
    expect(deletedWith(objects, 'cluster-2')).toEqual([]);
  });
});
