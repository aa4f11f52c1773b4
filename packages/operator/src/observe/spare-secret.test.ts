import type { AuthOptions, RayCluster } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { podRecord, type PodRecord, spareObjectName } from '@manta/plan';
import { Interner } from '@manta/runtime';
import { describe, expect, it } from 'vitest';
import { withSpareSecret } from './spare-secret.ts';

const LONG = `a${'b'.repeat(52)}`;
const SPARE = spareObjectName(LONG);

function secretNameOf(
  name: string,
  authOptions: AuthOptions,
  owner = 'u1',
  pods: readonly PodRecord[] = [],
): string | undefined {
  const cluster: RayCluster = {
    metadata: { name, namespace: 'ml', uid: 'u1' },
    spec: rayClusterSpec({ authOptions }),
  };
  const get = (key: string) =>
    key === `ml/${SPARE}` ? { name: SPARE ?? '', uid: 's', owner, belongsTo: [] } : undefined;
  const by = (_: string, key: string) => (key === `ml/${LONG}` ? pods : []);
  return withSpareSecret(cluster, { pods: { by }, secrets: { get } }).spec?.authOptions?.secretName;
}

describe('whoever needs the token of a cluster', () => {
  it('finds it in the Secret that the cluster has instead of the usual one', () => {
    expect(secretNameOf(LONG, { mode: 'token' })).toBe(SPARE);
  });

  it('does not go to another cluster while that Secret is made anew: pods know it', () => {
    const env = [{ name: 'RAY_AUTH_TOKEN', valueFrom: { secretKeyRef: { name: SPARE ?? '', key: 'auth_token' } } }];
    const pod = (uid: string) => {
      const ownerReferences = [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name: LONG, uid, controller: true }];
      const metadata = { labels: { 'ray.io/cluster': LONG }, ownerReferences };
      return podRecord({ metadata, spec: { containers: [{ name: 'ray', env }] } }, new Interner());
    };
    expect(secretNameOf(LONG, { mode: 'token' }, 'gone', [pod('u1')])).toBe(SPARE);
    expect(secretNameOf(LONG, { mode: 'token' }, 'gone', [pod('else')])).toBeUndefined();
  });

  it.each<[string, string, AuthOptions, string, string | undefined]>([
    ['its name is not cut', 'short', { mode: 'token' }, 'u1', undefined],
    ['the Secret is of another', LONG, { mode: 'token' }, 'else', undefined],
    ['its user brings one', LONG, { mode: 'token', secretName: 'mine' }, 'u1', 'mine'],
    ['it asks for none', LONG, { mode: 'disabled' }, 'u1', undefined],
  ])('looks where it always did where %s', (_, name, options, owner, expected) => {
    expect(secretNameOf(name, options, owner)).toBe(expected);
  });
});
