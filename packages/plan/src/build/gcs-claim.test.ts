import type {
  GcsFaultToleranceOptions,
  GcsStorage,
  PersistentVolumeClaim,
  RayCluster,
  RayClusterSpec,
} from '@manta/api';
import { rayCluster, withSpec } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { alignClaimOwner, buildGcsClaim, describeClaimDrift } from './gcs-claim.ts';

const clusterWith = (gcsFaultToleranceOptions: GcsFaultToleranceOptions) =>
  rayCluster('demo', withSpec<RayCluster>({ gcsFaultToleranceOptions }));
const specOf = (cluster: RayCluster) => cluster.spec as RayClusterSpec;
const embedded = (storage?: GcsStorage) =>
  clusterWith({ backend: 'rocksdb', ...(storage === undefined ? {} : { storage }) });
const claimOf = (cluster: RayCluster) => buildGcsClaim(cluster, specOf(cluster));

describe('buildGcsClaim()', () => {
  it('asks for a gigabyte of the default class and goes with the cluster', () => {
    const claim = claimOf(embedded());
    expect(claim?.metadata).toMatchObject({ name: 'demo-gcs-pvc', labels: { 'ray.io/cluster': 'demo' } });
    expect(claim?.metadata?.ownerReferences).toHaveLength(1);
    expect(claim?.spec).toEqual({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } });
  });

  it('takes size, class and modes from the options; a retained claim has no owner', () => {
    const claim = claimOf(
      embedded({ size: '5Gi', storageClassName: '', accessModes: ['ReadWriteMany'], deletionPolicy: 'Retain' }),
    );
    expect(claim?.metadata?.ownerReferences).toBeUndefined();
    expect(claim?.spec).toEqual({
      accessModes: ['ReadWriteMany'],
      storageClassName: '',
      resources: { requests: { storage: '5Gi' } },
    });
  });

  it('is not made for Redis, without fault tolerance, or where the user brings a claim', () => {
    expect(claimOf(clusterWith({ redisAddress: 'redis:6379' }))).toBeUndefined();
    expect(claimOf(rayCluster('demo'))).toBeUndefined();
    expect(claimOf(embedded({ claimName: 'mine' }))).toBeUndefined();
  });
});

describe('describeClaimDrift()', () => {
  const live: PersistentVolumeClaim = {
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'ssd', resources: { requests: { storage: '5Gi' } } },
  };
  it.each<[string, GcsStorage, string | undefined]>([
    ['the same, written otherwise', { size: '5120Mi', storageClassName: 'ssd' }, undefined],
    ['a class that was left to the installation', { size: '5Gi' }, undefined],
    ['another size', { size: '6Gi' }, 'requested size 6Gi != current 5Gi'],
    ['the size of one who says none', {}, 'requested size 1Gi != current 5Gi'],
    ['another class', { size: '5Gi', storageClassName: 'hdd' }, 'storageClassName hdd != current ssd'],
    [
      'everything',
      { size: '6Gi', storageClassName: 'hdd', accessModes: ['ReadWriteMany', 'ReadOnlyMany'] },
      'requested size 6Gi != current 5Gi; storageClassName hdd != current ssd; accessModes [ReadWriteMany ReadOnlyMany] != current [ReadWriteOnce]',
    ],
  ])('%s', (_, storage, expected) => {
    expect(describeClaimDrift(live, specOf(embedded(storage)))).toBe(expected);
  });

  it('does not care about the order of modes, but about their number', () => {
    const claim = { spec: { ...live.spec, accessModes: ['A', 'B'] } };
    const drift = (accessModes: string[]) => describeClaimDrift(claim, specOf(embedded({ size: '5Gi', accessModes })));
    expect(drift(['B', 'A'])).toBeUndefined();
    expect(drift(['A', 'B', 'B'])).toBe('accessModes [A B B] != current [A B]');
  });

  it('says where the live claim has no class', () => {
    const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    expect(describeClaimDrift(claim, specOf(embedded({ storageClassName: 'ssd' })))).toBe(
      'storageClassName ssd != current <default>',
    );
  });
});

describe('alignClaimOwner()', () => {
  const owned = claimOf(embedded()) as PersistentVolumeClaim;
  const retained = claimOf(embedded({ deletionPolicy: 'Retain' })) as PersistentVolumeClaim;
  const align = (claim: PersistentVolumeClaim, cluster: RayCluster) => alignClaimOwner(claim, cluster, specOf(cluster));

  it('leaves a claim alone that has the right owner', () => {
    expect(align(owned, embedded())).toBeUndefined();
    expect(align(retained, embedded({ deletionPolicy: 'Retain' }))).toBeUndefined();
  });

  it('lets a claim go that shall be retained, and takes one that shall not', () => {
    const keeper = { apiVersion: 'v1', kind: 'ConfigMap', name: 'keeper', uid: 'uid-keeper' };
    const shared = {
      ...owned,
      metadata: { ...owned.metadata, ownerReferences: [keeper, ...(owned.metadata?.ownerReferences ?? [])] },
    };
    expect(align(shared, embedded({ deletionPolicy: 'Retain' }))?.metadata?.ownerReferences).toEqual([keeper]);
    expect(align(retained, embedded())?.metadata?.ownerReferences).toEqual(owned.metadata?.ownerReferences);
  });

  it('does not take a claim from another controller', () => {
    const other = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'other', uid: 'uid-other', controller: true };
    const foreign = { ...retained, metadata: { ...retained.metadata, ownerReferences: [other] } };
    expect(align(foreign, embedded())).toBeUndefined();
  });
});
