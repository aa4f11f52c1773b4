import type { AuthOptions, RayCluster, RayClusterSpec } from '@manta/api';
import { rayCluster, withSpec } from '@manta/api/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AUTH_TOKEN_BYTES, buildAuthSecret } from './auth-secret.ts';

const random = Uint8Array.from({ length: AUTH_TOKEN_BYTES }, (_, i) => 255 - i);
const secretOf = (authOptions?: AuthOptions, bytes = random, name = 'demo') => {
  const cluster = rayCluster(name, withSpec<RayCluster>(authOptions === undefined ? {} : { authOptions }));
  return buildAuthSecret(cluster, cluster.spec as RayClusterSpec, bytes);
};

describe('buildAuthSecret()', () => {
  it('holds the random bytes in base64 and belongs to the cluster', () => {
    expect(secretOf({ mode: 'token' })).toMatchObject({
      type: 'Opaque',
      metadata: { name: 'demo', namespace: 'default', labels: { 'ray.io/cluster': 'demo' } },
      stringData: { auth_token: '//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=' },
    });
  });

  it.each<[string, AuthOptions | undefined, boolean]>([
    ['no options', undefined, false],
    ['mode token', { mode: 'token' }, true],
    ['no mode, as the peer does', {}, true],
    ['mode disabled', { mode: 'disabled' }, false],
    ['Kubernetes tokens', { mode: 'token', enableK8sTokenAuth: true }, false],
    ["a Secret of the user's own", { mode: 'token', secretName: 'theirs' }, false],
    ['an empty name', { mode: 'token', secretName: '' }, true],
  ])('%s', (_, options, isMade) => {
    expect(secretOf(options) !== undefined).toBe(isMade);
  });

  it('clips a long name as the pods that read it do', () => {
    expect(secretOf({ mode: 'token' }, random, `7${'x'.repeat(49)}`)?.metadata?.name).toBe(`r${'x'.repeat(49)}`);
  });

  it('gives different tokens for different bytes', () => {
    const bytes = fc.uint8Array({ minLength: AUTH_TOKEN_BYTES, maxLength: AUTH_TOKEN_BYTES });
    fc.assert(
      fc.property(bytes, (given) => {
        const token = secretOf({ mode: 'token' }, given)?.stringData?.['auth_token'] ?? '';
        expect(token).toHaveLength(44);
        expect(Uint8Array.from(atob(token), (letter) => letter.charCodeAt(0))).toEqual(given);
      }),
    );
  });
});
