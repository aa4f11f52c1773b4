import { AUTH_TOKEN_KEY, AuthMode, clusterObjectNames, isK8sAuthEnabled } from '@manta/api';
import { resources } from '@manta/kube';
import { CliError, failedTo } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';

/** `get token CLUSTER`: the token that Ray asks its clients for, without a line break, so that it can be put into a variable. */
export async function getToken(call: Invocation, name: string): Promise<void> {
  const namespace = await call.namespace();
  const client = await call.client();
  const cluster = await client.get(resources.rayClusters, { namespace, name }).catch((error: unknown) => {
    throw failedTo(`failed to get RayCluster ${namespace}/${name}`, error);
  });
  const { spec } = cluster;
  if (spec?.authOptions?.mode !== AuthMode.Token)
    throw new CliError(`RayCluster ${namespace}/${name} was not configured to use authentication tokens`);
  if (isK8sAuthEnabled(spec))
    throw new CliError(
      `RayCluster ${namespace}/${name} takes Kubernetes tokens (spec.authOptions.enableK8sTokenAuth), so it has none of its own. Use kubectl create token.`,
    );
  const secretName = clusterObjectNames.authSecret(name, spec.authOptions.secretName);
  const secret = await client.get(resources.secrets, { namespace, name: secretName }).catch((error: unknown) => {
    throw failedTo(`failed to get secret ${namespace}/${secretName}`, error);
  });
  const encoded = secret.data?.[AUTH_TOKEN_KEY];
  if (encoded === undefined) throw new CliError(`secret ${namespace}/${secretName} does not have an ${AUTH_TOKEN_KEY}`);
  call.world.stdout.write(Buffer.from(encoded, 'base64').toString('utf8'));
}
