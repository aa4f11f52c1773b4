import {
  AUTH_TOKEN_KEY,
  AuthMode,
  clusterObjectNames,
  isK8sAuthEnabled,
  Label,
  type RayCluster,
  type RayClusterSpec,
  type Secret,
} from '@manta/api';
import { childMetadata } from './child-metadata.ts';

/** Random bytes that a token is made of. */
export const AUTH_TOKEN_BYTES = 32;

/** Does the cluster need a token of its own? Not where the user brings a Secret or Kubernetes tokens are used. */
export function wantsAuthSecret(spec: RayClusterSpec): boolean {
  const { authOptions } = spec;
  return (
    authOptions !== undefined &&
    authOptions.mode !== AuthMode.Disabled &&
    !isK8sAuthEnabled(spec) &&
    !authOptions.secretName
  );
}

/**
 * The Secret with the token that Ray asks its clients for; `random` are fresh random bytes, `secretName` is given where it is not the
 * usual one. Undefined where none is needed.
 */
export function buildAuthSecret(
  cluster: RayCluster,
  spec: RayClusterSpec,
  random: Uint8Array,
  secretName?: string,
): Secret | undefined {
  if (!wantsAuthSecret(spec)) return undefined;
  const { name = '' } = cluster.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: childMetadata(cluster, clusterObjectNames.authSecret(name, secretName), { [Label.Cluster]: name }),
    type: 'Opaque',
    stringData: { [AUTH_TOKEN_KEY]: btoa(String.fromCharCode(...random)) },
  };
}
