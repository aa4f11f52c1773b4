import { type KubeObject, Label, pkiNames, type RayCluster, type Secret } from '@manta/api';
import { isNotFound, type KubeClient, resources } from '@manta/kube';
import {
  type Certificate,
  isIssued,
  type Issuer,
  leafStateOf,
  PkiComponent,
  type PkiState,
  withoutManagedFields,
} from '@manta/plan';
import { createInformer, type Informer, type ObjectKey, toKey, type World } from '@manta/runtime';
import type { CertificateIssuer } from '../cluster/certificate-issuer.ts';

/** Caches for the PKI of RayClusters: cert-manager's objects, or the operator's own Secrets. */
export type PkiCache =
  | {
      readonly issuedBy: 'cert-manager';
      readonly certificates: PkiInformer<Certificate>;
      readonly issuers: PkiInformer<Issuer>;
    }
  | {
      readonly issuedBy: 'operator';
      /** Only metadata, never data. */
      readonly secrets: PkiInformer<KubeObject>;
    };

export type PkiInformer<T> = Informer<T, 'cluster'>;

export function createPkiCache(world: World, issuedBy: CertificateIssuer, namespaces: readonly string[]): PkiCache {
  const indexes = { cluster: pkiKeys };
  const common = { namespaces, indexes, labelSelector: Label.Cluster };
  if (issuedBy === 'cert-manager') {
    return {
      issuedBy,
      certificates: createInformer(world, {
        ...common,
        type: resources.certificates,
        isForeign: true,
        project: withoutManagedFields<Certificate>,
      }),
      issuers: createInformer(world, {
        ...common,
        type: resources.issuers,
        isForeign: true,
        isSilentWhenAbsent: true,
        project: withoutManagedFields<Issuer>,
      }),
    };
  }
  const components = [PkiComponent.Authority, PkiComponent.Head, PkiComponent.Worker].join(',');
  return {
    issuedBy,
    secrets: createInformer(world, {
      ...common,
      type: resources.secrets,
      labelSelector: `${Label.Cluster},${Label.AppComponent} in (${components})`,
      content: 'metadata',
      project: withoutManagedFields<KubeObject>,
    }),
  };
}

export function pkiInformers(cache: PkiCache): readonly PkiInformer<KubeObject>[] {
  return cache.issuedBy === 'cert-manager' ? [cache.certificates, cache.issuers] : [cache.secrets];
}

/** The cluster that an object names by its label. */
export function pkiKeys({ metadata }: KubeObject): readonly ObjectKey[] {
  const name = metadata?.labels?.[Label.Cluster];
  return name === undefined ? [] : [toKey(metadata?.namespace ?? '', name)];
}

/** Whether the certificates of a cluster exist, so that its pods may be created. */
export class PkiStates {
  readonly #cache: PkiCache;
  readonly #client: KubeClient;
  /** Which certificates were found in their Secrets, so that those are read once. */
  readonly #found = new Map<ObjectKey, string>();

  constructor(cache: PkiCache, client: KubeClient) {
    this.#cache = cache;
    this.#client = client;
  }

  async of(cluster: RayCluster, signal: AbortSignal): Promise<PkiState> {
    const { name = '', namespace = '' } = cluster.metadata ?? {};
    if (this.#cache.issuedBy === 'operator') return ownState(this.#cache.secrets, namespace, name);
    return this.#issuedState(this.#cache.certificates, namespace, name, signal);
  }

  forget(key: ObjectKey): void {
    this.#found.delete(key);
  }

  async #issuedState(
    certificates: PkiInformer<Certificate>,
    namespace: string,
    name: string,
    signal: AbortSignal,
  ): Promise<PkiState> {
    const leaves = [pkiNames.headCertificate(name), pkiNames.workerCertificate(name)];
    const found = leaves.map((leaf) => certificates.get(toKey(namespace, leaf)));
    for (const [i, certificate] of found.entries()) {
      if (certificate === undefined) return waiting(`certificate ${leaves[i]} not found`);
      const { generation = 0 } = certificate.metadata ?? {};
      if (!isIssued(certificate))
        return waiting(`certificate ${leaves[i]} is not ready at current generation ${generation}`);
    }
    const known = found.map((each) => `${each?.metadata?.uid}/${each?.metadata?.generation}`).join();
    const key = toKey(namespace, name);
    if (this.#found.get(key) === known) return READY;
    for (const secret of [pkiNames.headSecret(name), pkiNames.workerSecret(name)]) {
      const why = await this.#whyUnusable(namespace, secret, signal);
      if (why !== undefined) return waiting(why);
    }
    this.#found.set(key, known);
    return READY;
  }

  async #whyUnusable(namespace: string, name: string, signal: AbortSignal): Promise<string | undefined> {
    const secret = await readSecret(this.#client, namespace, name, signal);
    if (secret === undefined) return `secret ${name} not found`;
    const missing = KEYS.find((key) => !secret.data?.[key]);
    return missing === undefined ? undefined : `secret ${name} missing required key ${missing}`;
  }
}

/** The current Secret; undefined if it does not exist. */
export async function readSecret(
  client: KubeClient,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  try {
    return await client.get(resources.secrets, { namespace, name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const KEYS = ['tls.crt', 'tls.key', 'ca.crt'] as const;
const READY: PkiState = { isReady: true };

function waiting(why: string): PkiState {
  return { isReady: false, why };
}

function ownState(secrets: PkiInformer<KubeObject>, namespace: string, name: string): PkiState {
  const names = { head: pkiNames.headSecret(name), worker: pkiNames.workerSecret(name) };
  const head = secrets.get(toKey(namespace, names.head));
  const worker = secrets.get(toKey(namespace, names.worker));
  if (head === undefined) return waiting(`secret ${names.head} not found`);
  if (worker === undefined) return waiting(`secret ${names.worker} not found`);
  return {
    isReady: true,
    own: { head: leafStateOf(head), worker: leafStateOf(worker) },
  };
}
