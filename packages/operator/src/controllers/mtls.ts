import type { RayCluster, Secret } from '@manta/api';
import {
  type Action,
  type BuildContext,
  type Certificate,
  type Issue,
  isIssued,
  type ObservedPki,
  type ObservedRayCluster,
  type Plan,
  planOwnPki,
  planPki,
} from '@manta/plan';
import {
  anyOf,
  type Controller,
  changes,
  createController,
  done,
  type EventRecorder,
  fromInformer,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  toKey,
  type World,
} from '@manta/runtime';
import { act } from '../act/act.ts';
import type { Actor } from '../act/actor.ts';
import { failedToIssue, issueCertificate } from '../act/issue-certificate.ts';
import { EmittedWarnings } from '../emitted-warnings.ts';
import { type PkiCache, pkiInformers, pkiKeys, readSecret } from '../observe/pki-cache.ts';
import type { RayClusterCache } from '../observe/ray-cluster-cache.ts';

export interface MtlsControllerOptions {
  readonly context: BuildContext;
  readonly installed: ObservedRayCluster['installed'];
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly pki: PkiCache;
  readonly concurrency: number;
}

/** Observe, plan, act: for the certificates of RayClusters that have mutual TLS. */
export function createMtlsController(world: World, options: MtlsControllerOptions): Controller {
  const { cache, pki, context, installed, events } = options;
  const warnings = new EmittedWarnings();
  const secrets = new IssuedSecrets(world);

  async function reconcile(key: string, pass: ReconcileContext): Promise<ReconcileResult> {
    const cluster = cache.clusters.get(key);
    if (cluster === undefined) {
      warnings.forget(key);
      secrets.forget(key);
      return done;
    }
    const now = world.clock.now();
    const seen = { cluster, context, installed, now, pods: cache.pods.by('cluster', key) };
    const { actions, requeueAfterMs } = await planFor(key, seen, pass);
    const when = { now, generation: cluster.metadata?.generation };
    const outcome = await act(warnings.withoutRepeats(key, actions, when), actorFor(cluster, pass));
    if (outcome.kind === 'failed') throw new Error(outcome.message);
    return requeueAfterMs === undefined ? done : requeueAfter(requeueAfterMs);
  }

  async function planFor(
    key: string,
    seen: Omit<ObservedPki, 'issuers' | 'certificates' | 'secrets'>,
    pass: ReconcileContext,
  ): Promise<Plan> {
    if (pki.issuedBy === 'operator') {
      const plan = planOwnPki({ ...seen, secrets: pki.secrets.by('cluster', key) });
      return { ...plan, actions: [...(await issueAll(plan.issues, seen, pass.signal)), ...plan.actions] };
    }
    const certificates = pki.certificates.by('cluster', key);
    const unowned = await secrets.unowned(key, certificates, pass.signal);
    return planPki({ ...seen, certificates, issuers: pki.issuers.by('cluster', key), secrets: unowned });
  }

  /** Those that can be made; what is wrong with the authority is told, and nothing is made after it. */
  async function issueAll(
    issues: readonly Issue[],
    { cluster, now }: Pick<ObservedPki, 'cluster' | 'now'>,
    signal: AbortSignal,
  ): Promise<readonly Action[]> {
    const namespace = cluster.metadata?.namespace ?? '';
    const issued: Action[] = [];
    for (const issue of issues) {
      const signer = await readSecret(world.client, namespace, issue.authority, signal);
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

  function actorFor(object: RayCluster, pass: ReconcileContext): Actor {
    const informers =
      pki.issuedBy === 'operator' ? { Secret: pki.secrets } : { Certificate: pki.certificates, Issuer: pki.issuers };
    const informerOf: Actor['informerOf'] = (kind) => Object.entries(informers).find(([each]) => each === kind)?.[1];
    return { client: world.client, clock: world.clock, kind: 'RayCluster', object, events, context: pass, informerOf };
  }

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
      // A pod that has got an address waits for a certificate that names it.
      fromInformer(cache.pods, {
        when: anyOf(
          changes(({ podIP }) => podIP),
          changes(({ isTerminating }) => isTerminating),
        ),
        keys: ({ namespace, cluster }) => [toKey(namespace, cluster)],
      }),
      ...pkiInformers(pki).map((informer) => fromInformer(informer, { keys: pkiKeys })),
    ],
    reconcile,
  });
}

/** Reads the Secrets that cert-manager has written, until each is seen to belong to its Certificate. */
class IssuedSecrets {
  readonly #world: World;
  /** Of each cluster: which issue of a Certificate, by its uid, was seen to be in a Secret that belongs to it. */
  readonly #owned = new Map<string, Map<string, number>>();

  constructor(world: World) {
    this.#world = world;
  }

  async unowned(key: string, certificates: readonly Certificate[], signal: AbortSignal): Promise<readonly Secret[]> {
    const owned = this.#owned.get(key) ?? new Map<string, number>();
    this.#owned.set(key, owned);
    const found: Secret[] = [];
    for (const certificate of certificates.filter(isIssued)) {
      const { namespace = '', uid = '' } = certificate.metadata ?? {};
      // A Secret that was lost is made anew under the next number.
      const { revision = 0 } = certificate.status ?? {};
      if (owned.get(uid) === revision) continue;
      const secret = await readSecret(this.#world.client, namespace, certificate.spec?.secretName ?? '', signal);
      if (secret === undefined) continue;
      if (secret.metadata?.ownerReferences?.some((owner) => owner.uid === uid) === true) owned.set(uid, revision);
      else found.push(secret);
    }
    return found;
  }

  forget(key: string): void {
    this.#owned.delete(key);
  }
}
