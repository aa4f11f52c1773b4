import { resolve } from 'node:path';
import { ConfigError, errorCode, fileProblem } from './config-error.ts';
import { type LoadedConnection, openConnection } from './configured-connection.ts';
import { fileSource, hasStaticIdentity, type Identity, readIdentity } from './credentials.ts';
import { type ExecClusterInfo, ExecPlugin, readExecPlugin } from './exec-plugin.ts';
import { Fields } from './fields.ts';
import type { Host } from './host.ts';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig-file.ts';
import { type ConnectionOverrides, overrideCluster, overrideContext, overrideUser } from './overrides.ts';
import { certificateProblem, decodeData } from './pem.ts';
import { parseProxyUrl, proxyFor } from './proxy-for.ts';
import type { FileSources } from './refreshed-files.ts';

/** Reads one kubeconfig that must exist. `field` names who asked for it, e.g. `--kubeconfig`. */
export async function readKubeconfigFile(path: string, field: string, host: Host): Promise<Kubeconfig> {
  const file = resolve(path);
  return parseKubeconfig(file, await readText(file, field, host));
}

/** Reads and merges the files that exist, as KUBECONFIG lists them; undefined when none does. */
export async function readKubeconfigFiles(
  paths: readonly string[],
  field: string,
  host: Host,
): Promise<Kubeconfig | undefined> {
  const configs: Kubeconfig[] = [];
  for (const path of new Set(paths.filter((one) => one !== '').map((one) => resolve(one)))) {
    const text = await readText(path, field, host).catch((error: unknown) => {
      if (error instanceof ConfigError && isMissing(error.cause)) return undefined;
      throw error;
    });
    if (text !== undefined) configs.push(await parseKubeconfig(path, text));
  }
  return configs.length === 0 ? undefined : mergeKubeconfigs(configs);
}

/** Resolves a context (the current one where none is named) into a connection. */
export async function connectionOf(
  config: Kubeconfig,
  contextName: string | undefined,
  host: Host,
  overrides: ConnectionOverrides = {},
): Promise<LoadedConnection> {
  const selected = selectContext(config, contextName);
  const { name } = selected;
  const context = overrideContext(selected.context, overrides);
  const cluster = overrideCluster(selectPart(config, context, 'cluster'), overrides);
  const user = overrideUser(selectPart(config, context, 'user') ?? new Fields(context.file, 'user', {}), overrides);
  if (cluster === undefined) throw context.error('cluster', 'is missing; name one of the clusters');
  const server = readServer(cluster);
  const proxyUrl = readProxyUrl(cluster);
  const trust = readTrust(cluster);
  const { identity, exec } = readUser(user, server);
  const parts = {
    origin: `${config.files.join(', ')}, context "${name}"`,
    server,
    ca: trust.ca,
    serverName: cluster.text('tls-server-name'),
    isInsecure: trust.isInsecure,
    identity: { ...identity, files: { ...identity.files, ...trust.files } },
    proxy: proxyUrl ?? proxyFor(server, host.env),
    defaultNamespace: context.text('namespace'),
  };
  if (exec === undefined) return openConnection(parts, host);
  const plugin = new ExecPlugin(exec, () => clusterInfo(cluster, connection.tls.ca, proxyUrl), host);
  const connection: LoadedConnection = await openConnection({ ...parts, exec: plugin }, host);
  return connection;
}

function selectContext(config: Kubeconfig, wanted: string | undefined): { name: string; context: Fields } {
  const files = config.files.join(', ');
  const known = [...config.contexts.keys()].map((one) => `"${one}"`).join(', ') || 'none';
  const name = wanted ?? config.currentContext;
  if (name === undefined) {
    throw new ConfigError(
      `${files}: current-context is not set; choose one with \`kubectl config use-context\` (contexts: ${known})`,
      { file: files, field: 'current-context' },
    );
  }
  const context = config.contexts.get(name);
  if (context === undefined) {
    const field = wanted === undefined ? 'current-context' : 'context';
    throw new ConfigError(`${files}: ${field} "${name}" does not exist (contexts: ${known})`, { file: files, field });
  }
  return { name, context };
}

function selectPart(config: Kubeconfig, context: Fields, part: 'cluster' | 'user'): Fields | undefined {
  const name = context.text(part);
  if (name === undefined) return undefined;
  const section = part === 'cluster' ? config.clusters : config.users;
  const found = section.get(name);
  if (found !== undefined) return found;
  const known = [...section.keys()].map((one) => `"${one}"`).join(', ') || 'none';
  throw context.error(part, `"${name}" does not exist (${part}s: ${known})`);
}

function readServer(cluster: Fields): URL {
  const text = cluster.text('server');
  if (text === undefined) throw cluster.error('server', 'is missing; write the address of the API server');
  // Without a scheme kubectl speaks plain HTTP.
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw cluster.error('server', `"${text}" is not an address like https://host:6443`);
  }
  url.search = '';
  url.hash = '';
  return url;
}

function readProxyUrl(cluster: Fields): URL | undefined {
  const text = cluster.text('proxy-url');
  if (text === undefined) return undefined;
  const url = parseProxyUrl(text);
  if (url === undefined)
    throw cluster.error('proxy-url', 'must start with http://, https:// or socks5:// and name a host');
  return url;
}

interface Trust {
  readonly ca: string | undefined;
  readonly isInsecure: boolean;
  readonly files: FileSources;
}

function readTrust(cluster: Fields): Trust {
  const isInsecure = cluster.flag('insecure-skip-tls-verify');
  const data = cluster.text('certificate-authority-data');
  const file = cluster.text('certificate-authority');
  if (isInsecure && (data !== undefined || file !== undefined)) {
    throw cluster.error('insecure-skip-tls-verify', 'is true although a certificate-authority is given; remove one');
  }
  if (data === undefined) {
    return { ca: undefined, isInsecure, files: file ? { ca: fileSource(cluster, 'certificate-authority', file) } : {} };
  }
  const ca = decodeData(cluster, 'certificate-authority-data', data);
  const problem = certificateProblem(ca);
  if (problem !== undefined) throw cluster.error('certificate-authority-data', problem);
  return { ca, isInsecure, files: {} };
}

/** Like kubectl, sends no credentials over plain HTTP, only impersonation. */
function readUser(
  user: Fields,
  server: URL,
): { identity: Identity; exec: ReturnType<typeof readExecPlugin> | undefined } {
  const identity = readIdentity(user);
  if (server.protocol === 'http:') {
    const { authorization: _, ...headers } = identity.headers;
    return { identity: { where: identity.where, headers, files: {} }, exec: undefined };
  }
  if (hasStaticIdentity(identity)) return { identity, exec: undefined };
  const exec = user.mapping('exec');
  if (exec !== undefined) return { identity, exec: readExecPlugin(exec) };
  const provider = user.mapping('auth-provider');
  if (provider !== undefined) {
    const name = provider.text('name') ?? '';
    const advice = PROVIDER_ADVICE[name] ?? 'use an exec plugin, a token or a client certificate';
    throw user.error('auth-provider', `"${name}" is not supported; ${advice}`);
  }
  return { identity, exec: undefined };
}

const PROVIDER_ADVICE: Readonly<Record<string, string>> = {
  gcp: 'install gke-gcloud-auth-plugin and run `gcloud container clusters get-credentials` again',
  azure: 'install kubelogin and run `kubelogin convert-kubeconfig`',
  oidc: 'use the kubelogin exec plugin (`kubectl oidc-login`)',
};

const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

function clusterInfo(cluster: Fields, ca: string | undefined, proxyUrl: URL | undefined): ExecClusterInfo {
  const serverName = cluster.text('tls-server-name');
  const extension = cluster.mappings('extensions').find((one) => one.text('name') === EXEC_EXTENSION);
  return {
    server: cluster.text('server') ?? '',
    ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
    ...(cluster.flag('insecure-skip-tls-verify') ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca, 'utf8').toString('base64') }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': cluster.text('proxy-url') ?? '' }),
    ...(cluster.flag('disable-compression') ? { 'disable-compression': true } : {}),
    config: extension?.raw('extension') ?? null,
  };
}

async function readText(file: string, field: string, host: Host): Promise<string> {
  try {
    return await host.readFile(file);
  } catch (cause) {
    throw new ConfigError(`${field}: the kubeconfig ${file} ${fileProblem(cause)}`, { file, field, cause });
  }
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
