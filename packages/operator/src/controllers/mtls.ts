import type { KubeObject, RayCluster, RayClusterStatus, Secret } from '@manta/api';
import type { KubeClient } from '@manta/kube';
import {
  type Action,
  type BuildContext,
  type Certificate,
  type Issue,
  isIssued,
  type ObservedOwnPki,
  type ObservedPki,
  type ObservedRayCluster,
  planOwnPki,
  planPki,
} from '@manta/plan';
import {
  anyOf,
  type Controller,
  changes,
  createController,
  type EventRecorder,
  fromInformer,
  type Informer,
  type ObjectKey,
  toKey,
  type World,
} from '@manta/runtime';
import { failedToIssue, issueCertificate } from '../act/issue-certificate.ts';
import { type PkiCache, type PkiInformer, pkiInformers, pkiKeys, readSecret } from '../observe/pki-cache.ts';
import type { RayClusterCache } from '../observe/ray-cluster-cache.ts';
import type { KindDefinition, ReadNeeds } from '../reconcile/kind-definition.ts';
import { createReconciler } from '../reconcile/reconciler.ts';

export interface MtlsControllerOptions {
  readonly context: BuildContext;
  readonly installed: ObservedRayCluster['installed'];
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly pki: PkiCache;
  readonly concurrency: number;
}

/** Reconciles the certificates of RayClusters with mutual TLS. */
export function createMtlsController(world: World, options: MtlsControllerOptions): Controller {
  const { cache, pki } = options;
  return createController(world, {
    name: 'raycluster-mtls',
    kind: 'RayCluster',
    concurrency: options.concurrency,
    required: [cache.clusters, cache.pods, ...pkiInformers(pki)],
    sources: [
      fromInformer(cache.clusters, {
        when: anyOf(
          changes((cluster) => cluster.metadata?.generation),
          changes((cluster) => cluster.metadata?.deletionTimestamp),
        ),
      }),
      // The certificate has to contain the address of every pod.
      fromInformer(cache.pods, {
        when: anyOf(
          changes(({ podIP }) => podIP),
          changes(({ isTerminating }) => isTerminating),
        ),
        keys: ({ namespace, cluster }) => [toKey(namespace, cluster)],
      }),
      ...pkiInformers(pki).map((informer) => fromInformer(informer, { keys: pkiKeys })),
    ],
    reconcile:
      pki.issuedBy === 'operator'
        ? createReconciler(world, ownPkiDefinition(world, options, pki.secrets))
        : createReconciler(world, certManagerDefinition(world, options, pki)),
  });
}

type Common = Pick<ObservedPki, 'cluster' | 'context' | 'installed' | 'pods' | 'now'>;

function commonOf({ clock }: World, { cache, context, installed }: MtlsControllerOptions, key: ObjectKey) {
  const cluster = cache.clusters.get(key);
  if (cluster === undefined) return undefined;
  return { cluster, context, installed, now: clock.now(), pods: cache.pods.by('cluster', key) } satisfies Common;
}

/** Which issue of each Certificate, by uid and revision, was seen in a Secret that the Certificate owns. */
type OwnedSecrets = ReadonlyMap<string, number>;
interface IssuedSecrets extends ReadNeeds {
  readonly of: readonly Certificate[];
}

/** cert-manager issues the certificates; the operator sets each Certificate as the owner of its Secret. */
function certManagerDefinition(
  world: World,
  options: MtlsControllerOptions,
  { certificates, issuers }: Extract<PkiCache, { issuedBy: 'cert-manager' }>,
): KindDefinition<ObservedPki, RayClusterStatus, OwnedSecrets, IssuedSecrets> {
  return {
    kind: 'RayCluster',
    events: options.events,
    informerOf: (kind): Informer | undefined =>
      kind === 'Certificate' ? certificates : kind === 'Issuer' ? issuers : undefined,
    emptyMemory: new Map(),
    deduplicatesEvents: true,
    async observe({ key }) {
      const common = commonOf(world, options, key);
      if (common === undefined) return undefined;
      const [issued, issuing] = [certificates.by('cluster', key), issuers.by('cluster', key)];
      return { ...common, certificates: issued, issuers: issuing, secrets: [] };
    },
    objectOf: ({ cluster }) => cluster,
    needs: (observed, owned) => ({
      of: observed.certificates.filter((each) => isIssued(each) && owned.get(uidOf(each)) !== revisionOf(each)),
    }),
    async read(observed, needs, { signal }) {
      const secrets: Secret[] = [];
      for (const { metadata, spec } of needs.of) {
        const secret = await readSecret(world.client, metadata?.namespace ?? '', spec?.secretName ?? '', signal);
        if (secret !== undefined) secrets.push(secret);
      }
      return { ...observed, secrets };
    },
    plan(observed, memory) {
      const owned = new Map(memory);
      for (const certificate of observed.certificates)
        if (observed.secrets.some((secret) => isOwnedBy(secret, certificate)))
          owned.set(uidOf(certificate), revisionOf(certificate));
      const unowned = observed.secrets.filter(
        (secret) => !observed.certificates.some((certificate) => isOwnedBy(secret, certificate)),
      );
      return { ...planPki({ ...observed, secrets: unowned }), memory: owned };
    },
  };
}

function uidOf({ metadata }: Certificate): string {
  return metadata?.uid ?? '';
}

/** cert-manager recreates a lost Secret under the next revision. */
function revisionOf({ status }: Certificate): number {
  return status?.revision ?? 0;
}

function isOwnedBy({ metadata }: Secret, certificate: Certificate): boolean {
  const { name } = metadata ?? {};
  const isNamed = name === certificate.spec?.secretName;
  return isNamed && metadata?.ownerReferences?.some(({ uid }) => uid === uidOf(certificate)) === true;
}

interface CertificatesToIssue extends ReadNeeds {
  readonly issues: readonly Issue[];
}
interface ObservedIssues extends ObservedOwnPki {
  /** What stores the certificates that had to be issued, or reports why they could not be. */
  readonly issued: readonly Action[];
}

/** The operator issues the certificates itself. */
function ownPkiDefinition(
  world: World,
  options: MtlsControllerOptions,
  secrets: PkiInformer<KubeObject>,
): KindDefinition<ObservedIssues, RayClusterStatus, undefined, CertificatesToIssue> {
  return {
    kind: 'RayCluster',
    events: options.events,
    informerOf: (kind): Informer | undefined => (kind === 'Secret' ? secrets : undefined),
    emptyMemory: undefined,
    deduplicatesEvents: true,
    async observe({ key }) {
      const common = commonOf(world, options, key);
      return common === undefined ? undefined : { ...common, secrets: secrets.by('cluster', key), issued: [] };
    },
    objectOf: ({ cluster }) => cluster,
    needs: (observed) => ({ issues: planOwnPki(observed).issues }),
    async read(observed, { issues }, { signal }) {
      if (issues.length === 0) return observed;
      return { ...observed, issued: await issueAll(world.client, issues, observed, signal) };
    },
    plan(observed) {
      const { actions, requeueAfterMs } = planOwnPki(observed);
      return {
        actions: [...observed.issued, ...actions],
        ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
      };
    },
  };
}

/** Issues certificates in order; after a failure, which is reported, no other certificate is issued. */
async function issueAll(
  client: KubeClient,
  issues: readonly Issue[],
  { cluster, now }: { readonly cluster: RayCluster; readonly now: number },
  signal: AbortSignal,
): Promise<readonly Action[]> {
  const issued: Action[] = [];
  for (const issue of issues) {
    const signer = await readSecret(client, cluster.metadata?.namespace ?? '', issue.authority, signal);
    try {
      issued.push(...issueCertificate(issue, cluster, signer, now));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const failed = failedToIssue(issue);
      const event = { ...failed, note: `${failed.note} ${message}` };
      return [...issued, { type: 'event', event }, { type: 'abort', message }];
    }
  }
  return issued;
}
