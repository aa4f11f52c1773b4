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

/** The number of random bytes in a token. */
export const AUTH_TOKEN_BYTES = 32;

/** Does the operator create a token for the cluster? Not if the user provides a Secret, or with Kubernetes tokens. */
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
 * The Secret with the token that Ray requires of its clients; undefined if none is needed. `random` are fresh random bytes; without
 * `secretName` the Secret gets its default name.
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
