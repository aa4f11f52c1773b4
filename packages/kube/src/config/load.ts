import { join } from 'node:path';
import { ConfigError } from './config-error.ts';
import type { LoadedConnection } from './configured-connection.ts';
import { type Host, systemHost } from './host.ts';
import { isInCluster, loadInCluster } from './in-cluster.ts';
import { connectionOf, readKubeconfigFile, readKubeconfigFiles } from './kubeconfig.ts';
import { type ConnectionOverrides, FLAGS_ONLY } from './overrides.ts';

export interface LoadOptions {
  /** `--kubeconfig`: exactly this file. */
  readonly kubeconfig?: string | undefined;
  /** Another context than the current one. */
  readonly context?: string | undefined;
  /** What takes the place of the kubeconfig's settings; with any of them a pod's service account is not used. */
  readonly overrides?: ConnectionOverrides | undefined;
  readonly host?: Host;
}

/**
 * Finds the API server and who we are: `--kubeconfig`, else the files of KUBECONFIG merged, else the pod's service account, else
 * `$HOME/.kube/config`. Rejects with a `ConfigError` that says what to do.
 */
export async function loadConnection(options: LoadOptions = {}): Promise<LoadedConnection> {
  const host = options.host ?? systemHost();
  const { context, overrides } = options;
  if (options.kubeconfig) {
    return connectionOf(await readKubeconfigFile(options.kubeconfig, '--kubeconfig', host), context, host, overrides);
  }
  const listed = host.env['KUBECONFIG'] ?? '';
  if (listed !== '') return fromEnvironment(listed, options, host);
  const isOverridden = Object.values(overrides ?? {}).some((value) => value !== undefined);
  const inCluster = isOverridden ? undefined : await tryInCluster(host);
  if (inCluster !== undefined && !(inCluster instanceof ConfigError)) return inCluster;
  const home = join(host.homeDir, '.kube', 'config');
  const config = await readKubeconfigFiles([home], '$HOME/.kube/config', host);
  if (config !== undefined) return connectionOf(config, context, host, overrides);
  if (inCluster !== undefined) throw inCluster;
  if (overrides?.server !== undefined) return connectionOf(FLAGS_ONLY, context, host, overrides);
  throw new ConfigError(
    `no API server is configured: give --kubeconfig, set KUBECONFIG, create ${home}, or run inside a cluster`,
  );
}

async function fromEnvironment(listed: string, options: LoadOptions, host: Host): Promise<LoadedConnection> {
  const { context, overrides } = options;
  const config = await readKubeconfigFiles(listed.split(host.pathListSeparator), 'KUBECONFIG', host);
  if (config !== undefined) return connectionOf(config, context, host, overrides);
  if (overrides?.server !== undefined) return connectionOf(FLAGS_ONLY, context, host, overrides);
  throw new ConfigError(`KUBECONFIG: none of its files exists (${listed}); correct it, or unset it`, {
    file: 'KUBECONFIG',
  });
}

/** The mistake is returned, not thrown: a kubeconfig in the home folder may still save the day. */
async function tryInCluster(host: Host): Promise<LoadedConnection | ConfigError | undefined> {
  if (!isInCluster(host)) return undefined;
  try {
    return await loadInCluster(host);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
