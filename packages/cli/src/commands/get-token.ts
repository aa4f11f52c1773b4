import { resources } from '@manta/kube';
import { asksForToken, readAuthToken } from '../auth-token.ts';
import { CliError, failedTo } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';

/** `get token CLUSTER`: the token that Ray asks its clients for, without a line break, so that it can be put into a variable. */
export async function getToken(call: Invocation, name: string): Promise<void> {
  const namespace = await call.namespace();
  const client = await call.client();
  const cluster = await client.get(resources.rayClusters, { namespace, name }).catch((error: unknown) => {
    throw failedTo(`failed to get RayCluster ${namespace}/${name}`, error);
  });
  if (!asksForToken(cluster))
    throw new CliError(`RayCluster ${namespace}/${name} was not configured to use authentication tokens`);
  call.world.stdout.write(await readAuthToken(client, cluster));
}
