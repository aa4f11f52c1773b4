import {
  AUTH_TOKEN_KEY,
  clusterObjectNames,
  isAuthEnabled,
  isK8sAuthEnabled,
  NodeType,
  PortName,
  type RayCluster,
  type RayClusterSpec,
  serviceNames,
} from '@manta/api';
import { type Clock, type KubeClient, proxyPath, resources } from '@manta/kube';
import { headDashboardPort, isOwn, type PodRecord, type ServiceRecord } from '@manta/plan';
import type { RayHead } from '@manta/ray';
import { toKey } from '@manta/runtime';
import { hostOf } from './host-of.ts';
import type { RayClusterCache } from './ray-cluster-cache.ts';
import { withSpareSecret } from './spare-secret.ts';

/** A cluster's head, or why it cannot be reached, in one sentence. */
export type HeadLookup =
  | { readonly isFound: true; readonly head: RayHead }
  | { readonly isFound: false; readonly why: string };

/** The dashboard's host and port without a scheme, as in `status.dashboardURL`. */
export type AddressLookup =
  | { readonly isFound: true; readonly address: string }
  | { readonly isFound: false; readonly why: string };

/** Knows how Ray heads are reached: by which address, through what, with which token. */
export interface RayHeads {
  /** The dashboard's address at the head Service. */
  address(cluster: RayCluster): AddressLookup;
  /**
   * Reads the token's Secret if the cluster requires a token; never waits for Ray. A given `address` is used only if it belongs to the head
   * Service or to a head pod that the cluster controls.
   */
  find(cluster: RayCluster, options?: FindOptions): Promise<HeadLookup>;
}

export interface FindOptions {
  readonly address?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Reads the token from the API server: for requests that are tried only once. */
  readonly isFresh?: boolean | undefined;
}

export interface RayHeadsOptions {
  readonly cache: Pick<RayClusterCache, 'pods' | 'services' | 'secrets'>;
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly clusterDomain: string;
  /** Ask through the API server: addresses are then paths on it. */
  readonly throughApiServer: boolean;
  /** The Kubernetes token for clusters that accept one; undefined if none is configured. */
  readonly rayToken?: (() => Promise<string | undefined>) | undefined;
}

/** How long a token is cached: users may replace it. */
const TOKEN_AGE_MS = 30_000;

/** Finds the dashboard's Service port by name, or by its targetPort if the user's Service names it differently. The API server's proxy needs the name. */
function dashboardPortOf(
  { ports }: Pick<ServiceRecord, 'ports'>,
  spec: RayClusterSpec | undefined,
): number | undefined {
  const named = ports.find(({ name }) => name === PortName.Dashboard);
  const target = spec === undefined ? undefined : headDashboardPort(spec);
  return (named ?? ports.find(({ port, targetPort = port }) => targetPort === target))?.port;
}

export function createRayHeads(options: RayHeadsOptions): RayHeads {
  const { cache, client, clock, clusterDomain, throughApiServer, rayToken } = options;
  const tokens = new TokenCache(client, clock);

  function address(cluster: RayCluster): AddressLookup {
    const { name = '', namespace = '' } = cluster.metadata ?? {};
    const serviceName = serviceNames.head(name, cluster.spec?.headGroupSpec.headService?.metadata?.name);
    const service = headServiceOf(cluster, cache);
    if (service === undefined)
      return { isFound: false, why: `the head Service ${namespace}/${serviceName} is not found` };
    const port = dashboardPortOf(service, throughApiServer ? undefined : cluster.spec);
    if (port === undefined) return { isFound: false, why: 'dashboard port is not found' };
    return { isFound: true, address: `${fqdnOf(cluster)}:${port}` };
  }

  /** The head Service, or the head pod if that Service does not select exactly the cluster's own pods. */
  function url(cluster: RayCluster, known: string | undefined): HeadLookup | string {
    const head = headPodOf(cluster, cache);
    const port = cluster.spec === undefined ? 0 : headDashboardPort(cluster.spec);
    const podAddress = head === undefined || head.podIP === '' ? undefined : `${hostOf(head.podIP)}:${port}`;
    if (throughApiServer) {
      const service = headServiceOf(cluster, cache);
      if (service === undefined || isOfCluster(service, cluster)) return proxyPath(dashboardOf(cluster), '');
      if (head === undefined) return notAsked(service, cluster);
      return proxyPath({ kind: 'pods', namespace: head.namespace, name: head.name, port }, '');
    }
    if (known !== undefined && isPodOf(cluster, known)) return `http://${known}`;
    const service = headServiceOf(cluster, cache);
    if (service !== undefined && !isOfCluster(service, cluster))
      return podAddress === undefined ? notAsked(service, cluster) : `http://${podAddress}`;
    if (known !== undefined && isPortOf(fqdnOf(cluster), known)) return `http://${known}`;
    const found = address(cluster);
    return found.isFound ? `http://${found.address}` : found;
  }

  function fqdnOf({ metadata, spec }: RayCluster): string {
    const { name = '', namespace = '' } = metadata ?? {};
    const service = serviceNames.head(name, spec?.headGroupSpec.headService?.metadata?.name);
    return serviceNames.headFqdn(service, namespace, clusterDomain);
  }

  /** Whether an address is that of a head pod which the cluster controls. */
  function isPodOf(cluster: RayCluster, known: string): boolean {
    return headPodsOf(cluster, cache).some(({ podIP }) => podIP !== '' && isPortOf(hostOf(podIP), known));
  }

  return {
    address,
    async find(cluster, { address: known, signal, isFresh } = {}) {
      const where = url(cluster, known);
      if (typeof where !== 'string') return where;
      const session = sessionOf(cluster, cache);
      if (!isAuthEnabled(cluster.spec)) return { isFound: true, head: { url: where, session } };
      const token = isK8sAuthEnabled(cluster.spec)
        ? kubernetesToken(await rayToken?.())
        : await tokens.of(withSpareSecret(cluster, cache), isFresh === true, signal);
      return token.ok
        ? { isFound: true, head: { url: where, token: token.value, session } }
        : { isFound: false, why: token.why };
    },
  };
}

type Cached = RayHeadsOptions['cache'];

/** Whether an address is the host with a port and nothing else: `host:1@elsewhere` would lead elsewhere. */
function isPortOf(host: string, address: string): boolean {
  return address.startsWith(`${host}:`) && /^\d{1,5}$/.test(address.slice(host.length + 1));
}

function headServiceOf({ metadata, spec }: RayCluster, { services }: Cached): ServiceRecord | undefined {
  const { name = '', namespace = '' } = metadata ?? {};
  return services.get(toKey(namespace, serviceNames.head(name, spec?.headGroupSpec.headService?.metadata?.name)));
}

/**
 * Whether a Service leads to pods of the cluster and nowhere else. Requests carry the cluster's token, code and configurations: they are
 * sent to no DNS name that a user chose, and through no Service that the cluster does not control.
 */
function isOfCluster(service: ServiceRecord, { metadata }: RayCluster): boolean {
  const isElsewhere = service.isExternalName === true || service.selectsCluster !== metadata?.name;
  return isOwn(metadata?.uid ?? '', service) && !isElsewhere;
}

function notAsked({ name, isExternalName }: ServiceRecord, { metadata }: RayCluster): HeadLookup {
  const { name: cluster = '', namespace = '' } = metadata ?? {};
  const why =
    isExternalName === true
      ? 'is of type ExternalName'
      : `is not controlled by RayCluster ${namespace}/${cluster}, or does not select its pods`;
  return { isFound: false, why: `the head Service ${namespace}/${name} ${why}: the operator sends nothing to it` };
}

/** The head Service as the API server's proxy addresses it. */
function dashboardOf({ metadata, spec }: RayCluster): Parameters<typeof proxyPath>[0] {
  const { name = '', namespace = '' } = metadata ?? {};
  const service = serviceNames.head(name, spec?.headGroupSpec.headService?.metadata?.name);
  return { kind: 'services', namespace, name: service, port: PortName.Dashboard };
}

function headPodsOf({ metadata }: RayCluster, { pods }: Cached): readonly PodRecord[] {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return pods.by('cluster', toKey(namespace, name)).filter((pod) => pod.nodeType === NodeType.Head && isOwn(uid, pod));
}

function headPodOf(cluster: RayCluster, cache: Cached): PodRecord | undefined {
  const heads = headPodsOf(cluster, cache);
  return heads.find(({ isTerminating }) => !isTerminating) ?? heads[0];
}

/** A new head pod is a new life, and so is Ray restarted within one: without a store of its own Ray forgets its jobs with the old one. */
function sessionOf(cluster: RayCluster, cache: Cached): string {
  const head = headPodOf(cluster, cache);
  const restarts = head?.head?.restarts ?? 0;
  return `${cluster.metadata?.uid ?? ''}/${head?.uid ?? ''}${restarts === 0 ? '' : `+${restarts}`}`;
}

type Token = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly why: string };

function kubernetesToken(value: string | undefined): Token {
  if (value !== undefined) return { ok: true, value };
  const remedy =
    'name a file with the token of an account that may ray:write rayclusters, and nothing else, in RAY_TOKEN_FILE';
  return { ok: false, why: `the cluster takes Kubernetes tokens, and this operator has none for them: ${remedy}` };
}

/** Tokens are not watched, since users bring Secrets without labels of ours; each is read once in a while instead. */
class TokenCache {
  readonly #client: Pick<KubeClient, 'get'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, { readonly value: string; readonly readAt: number }>();

  constructor(client: Pick<KubeClient, 'get'>, clock: Pick<Clock, 'now'>) {
    this.#client = client;
    this.#clock = clock;
  }

  async of({ metadata, spec }: RayCluster, isFresh: boolean, signal: AbortSignal | undefined): Promise<Token> {
    const { name: cluster = '', namespace = '' } = metadata ?? {};
    const name = clusterObjectNames.authSecret(cluster, spec?.authOptions?.secretName);
    const key = toKey(namespace, name);
    this.#drop();
    if (isFresh) this.#known.delete(key);
    const known = this.#known.get(key);
    if (known !== undefined) return { ok: true, value: known.value };
    try {
      const { data } = await this.#client.get(resources.secrets, { namespace, name }, { signal });
      const encoded = data?.[AUTH_TOKEN_KEY];
      if (encoded === undefined)
        return { ok: false, why: `auth token key '"${AUTH_TOKEN_KEY}"' not found in secret ${key}` };
      const value = Buffer.from(encoded, 'base64').toString();
      this.#known.set(key, { value, readAt: this.#clock.now() });
      return { ok: true, value };
    } catch (error) {
      if (signal?.aborted === true) throw error;
      return {
        ok: false,
        why: `failed to get auth secret ${key}: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
  }

  /** Insertion order is the order of age. */
  #drop(): void {
    const oldest = this.#clock.now() - TOKEN_AGE_MS;
    for (const [key, { readAt }] of this.#known) {
      if (readAt > oldest) return;
      this.#known.delete(key);
    }
  }
}
