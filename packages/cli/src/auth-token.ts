import { AUTH_TOKEN_KEY, AuthMode, clusterObjectNames, isK8sAuthEnabled, type RayCluster } from '@manta/api';
import { isForbidden, type KubeClient, resources } from '@manta/kube';
import { CliError, failedTo } from './cli-error.ts';

/** Whether Ray asks the clients of this cluster for a token. */
export function asksForToken({ spec }: RayCluster): boolean {
  return spec?.authOptions?.mode === AuthMode.Token;
}

/** Reads the token that Ray asks its clients for from the cluster's Secret, with the rights of the user. */
export async function readAuthToken(client: KubeClient, cluster: RayCluster): Promise<string> {
  const { metadata: { name = '', namespace } = {}, spec } = cluster;
  if (isK8sAuthEnabled(spec))
    throw new CliError(
      `RayCluster ${namespace}/${name} takes Kubernetes tokens (spec.authOptions.enableK8sTokenAuth), so it has none of its own. Use kubectl create token.`,
    );
  const secretName = clusterObjectNames.authSecret(name, spec?.authOptions?.secretName);
  const secret = await client.get(resources.secrets, { namespace, name: secretName }).catch((error: unknown) => {
    throw failedTo(`failed to get secret ${namespace}/${secretName}`, error);
  });
  const encoded = secret.data?.[AUTH_TOKEN_KEY];
  if (encoded === undefined) throw new CliError(`secret ${namespace}/${secretName} does not have an ${AUTH_TOKEN_KEY}`);
  return Buffer.from(encoded, 'base64').toString('utf8');
}

/**
 * The token to send to a cluster's head: `RAY_AUTH_TOKEN`, as for Ray's own client, else that of the cluster's Secret. Undefined when the
 * cluster asks for none.
 */
export async function headToken(
  client: KubeClient,
  cluster: RayCluster,
  given: string | undefined,
): Promise<string | undefined> {
  if (!asksForToken(cluster)) return undefined;
  if (given !== undefined && given !== '') return given;
  const { name, namespace } = cluster.metadata ?? {};
  return await readAuthToken(client, cluster).catch((error: unknown) => {
    const cause = error instanceof CliError ? error.cause : error;
    const remedy = isForbidden(cause)
      ? 'Ask for the right to get this Secret, or set RAY_AUTH_TOKEN.'
      : 'Set RAY_AUTH_TOKEN to a token that the cluster takes.';
    const problem = failedTo(`Ray cluster ${namespace}/${name} asks for a token`, error);
    throw new CliError(`${problem.message.replace(/\.$/, '')}. ${remedy}`, problem.exitCode, { cause });
  });
}
