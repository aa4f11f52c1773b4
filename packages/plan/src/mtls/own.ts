import {
  Annotation,
  type KubeObject,
  NodeType,
  type ObjectMeta,
  pkiNames,
  type RayCluster,
  withRayClusterDefaults,
  timestamp,
} from '@manta/api';
import { isOwn } from '../ownership.ts';
import { type Action, NOTHING, type Plan } from '../plan.ts';
import { ownPods } from '../raycluster/cluster-state.ts';
import type { ObservedRayCluster } from '../raycluster/observed.ts';
import { authoritySecret, PkiComponent, pkiMetadata } from './cert-manager.ts';
import { isOutOfDate, leafStateOf } from './leaf-state.ts';
import { type CertificateNames, headNames, workerNames } from './names.ts';
import { expiringSoon, wantsPki } from './plan.ts';

/** Everything a decision about the certificates of a RayCluster needs if the operator issues them itself. */
export interface ObservedOwnPki extends Pick<ObservedRayCluster, 'cluster' | 'context' | 'installed' | 'pods' | 'now'> {
  /** The Secrets of this cluster's certificates: metadata only, never keys. */
  readonly secrets: readonly KubeObject[];
}

/** A certificate to issue, with the Secret that will hold it. */
export interface Issue {
  readonly whose: 'authority' | 'head' | 'worker';
  readonly metadata: ObjectMeta;
  /** The Secret to replace; absent: it is created. */
  readonly live?: KubeObject | undefined;
  readonly names: CertificateNames;
  readonly commonName: string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  /** The Secret of the signing authority. For an authority its own Secret: an existing key is kept. */
  readonly authority: string;
}

export interface OwnPkiPlan extends Plan {
  /** In order: an authority before the certificates it signs. */
  readonly issues: readonly Issue[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Lifetimes as with cert-manager. In addition an authority is renewed before a certificate that it signs could outlive it. */
const AUTHORITY = { lifeMs: 3650 * DAY_MS, renewMs: 120 * DAY_MS };
const LEAF = { lifeMs: 2160 * HOUR_MS, renewMs: 360 * HOUR_MS };
const REST_MS = 60_000;

/** Issues missing certificates, reissues them for new addresses, and renews them before they expire. */
export function planOwnPki(observed: ObservedOwnPki): OwnPkiPlan {
  const cluster = withRayClusterDefaults(observed.cluster);
  if (cluster.spec === undefined || !wantsPki({ ...observed, cluster })) return { ...NOTHING, issues: [] };
  const { context } = observed;
  const pods = ownPods(observed);
  const name = cluster.metadata?.name ?? '';
  const parts = [
    { whose: 'authority', secret: authoritySecret(cluster), component: PkiComponent.Authority, names: NO_NAMES },
    {
      whose: 'head',
      secret: pkiNames.headSecret(name),
      component: PkiComponent.Head,
      names: headNames(cluster, cluster.spec, pods, context),
    },
    { whose: 'worker', secret: pkiNames.workerSecret(name), component: PkiComponent.Worker, names: workerNames(pods) },
  ] as const;
  const [first, ...leaves] = parts;
  const signer = find(observed, first.secret)?.metadata?.uid;
  const authority = issueOf(observed, cluster, first, undefined);
  // Nothing is signed before the cache shows the authority: two operators might create two, and each signed certificate contains it.
  const issues =
    authority !== undefined || signer === undefined
      ? [authority].filter((issue) => issue !== undefined)
      : leaves.flatMap((part) => issueOf(observed, cluster, part, signer) ?? []);
  return { actions: expiringCertificates(observed, cluster), issues, requeueAfterMs: REST_MS };
}

interface Part {
  readonly whose: Issue['whose'];
  readonly secret: string;
  readonly component: PkiComponent;
  readonly names: CertificateNames;
}

const NO_NAMES: CertificateNames = { dnsNames: [], ipAddresses: [] };

function issueOf(
  observed: ObservedOwnPki,
  cluster: RayCluster,
  part: Part,
  signer: string | undefined,
): Issue | undefined {
  const { now } = observed;
  const isAuthority = part.whose === 'authority';
  const { lifeMs } = isAuthority ? AUTHORITY : LEAF;
  const live = find(observed, part.secret);
  const isOrphan =
    !isAuthority && live !== undefined && live.metadata?.annotations?.[Annotation.TlsAuthority] !== signer;
  const formerEnd = live === undefined ? lostEnd(observed, cluster, isAuthority) : dueEnd(live, now, isAuthority);
  if (live !== undefined && formerEnd === undefined && !isOrphan && covers(live, part.names)) return undefined;
  // Reissued for more names, the certificate keeps its expiry: pods with the earlier one must be replaced before that time.
  const notAfter = live === undefined || formerEnd !== undefined || isOrphan ? now + lifeMs : notAfterOf(live);
  return {
    whose: part.whose,
    live,
    metadata: describe(cluster, part, live, { now, notAfter, formerEnd, isOrphan, signer }),
    names: part.names,
    commonName: isAuthority ? `ray-ca-${cluster.metadata?.name ?? ''}` : part.secret,
    notAfter,
    authority: authoritySecret(cluster),
  };
}

/** The expiry of a certificate that must be renewed now; undefined if it need not be. One that is not yet valid must be renewed. */
function dueEnd(live: KubeObject, now: number, isAuthority: boolean): number | undefined {
  const { lifeMs, renewMs } = isAuthority ? AUTHORITY : LEAF;
  const leftMs = notAfterOf(live) - now;
  if (leftMs > lifeMs + HOUR_MS || leftMs === Number.NEGATIVE_INFINITY) return now;
  return leftMs < renewMs ? notAfterOf(live) : undefined;
}

/** When a lost certificate that pods still use may expire; undefined if no pod uses it. */
function lostEnd({ pods, now }: ObservedOwnPki, { metadata }: RayCluster, isAuthority: boolean): number | undefined {
  const isUsed = pods.some(({ owner, tlsAuthority }) => owner === metadata?.uid && tlsAuthority !== undefined);
  // The expiry is unknown; a certificate that needed no renewal had at least this time left.
  return isUsed && !isAuthority ? now + LEAF.renewMs : undefined;
}

interface Life {
  readonly now: number;
  readonly notAfter: number;
  /** The expiry of the certificate that is renewed; undefined: none is. */
  readonly formerEnd: number | undefined;
  /** Its authority no longer exists. */
  readonly isOrphan: boolean;
  readonly signer: string | undefined;
}

/** Annotations that describe the certificate, so that the Secret's data need not be read. */
function describe(
  cluster: RayCluster,
  { secret, component, names }: Part,
  live: KubeObject | undefined,
  { now, notAfter, formerEnd, isOrphan, signer }: Life,
): ObjectMeta {
  const before = live?.metadata ?? {};
  const annotations = {
    ...before.annotations,
    [Annotation.TlsNames]: [...names.dnsNames, ...names.ipAddresses].join(','),
    [Annotation.TlsNotAfter]: timestamp(notAfter),
    ...(signer === undefined ? {} : { [Annotation.TlsAuthority]: signer }),
    // Existing pods still have the expiring certificate. A reissue for more names does not matter to them.
    ...(formerEnd === undefined
      ? {}
      : { [Annotation.TlsRenewedAt]: timestamp(now), [Annotation.TlsFormerNotAfter]: timestamp(formerEnd) }),
    ...(isOrphan ? { [Annotation.TlsAuthoritySince]: timestamp(now) } : {}),
  };
  return { ...before, ...pkiMetadata(cluster, secret, component), annotations };
}

/** Superfluous names are harmless until the next renewal; missing names are not. */
function covers({ metadata }: KubeObject, { dnsNames, ipAddresses }: CertificateNames): boolean {
  const known = new Set(metadata?.annotations?.[Annotation.TlsNames]?.split(','));
  return [...dnsNames, ...ipAddresses].every((name) => known.has(name));
}

/** Warns a day ahead about pods that still use an expiring certificate: a head with running work is not replaced, and workers may be delayed. */
function expiringCertificates(observed: ObservedOwnPki, { metadata }: RayCluster): readonly Action[] {
  const { pods, now } = observed;
  const name = metadata?.name ?? '';
  return [
    { nodeType: NodeType.Head, secret: pkiNames.headSecret(name) },
    { nodeType: NodeType.Worker, secret: pkiNames.workerSecret(name) },
  ].flatMap(({ nodeType, secret }) => {
    const live = find(observed, secret);
    const leaf = live === undefined ? undefined : leafStateOf(live);
    if (leaf === undefined || leaf.formerEnd - now >= DAY_MS) return [];
    const isOld = pods.some(
      (pod) => pod.nodeType === nodeType && pod.owner === metadata?.uid && !pod.isTerminating && isOutOfDate(pod, leaf),
    );
    return isOld ? [expiringSoon(secret, Math.max(leaf.formerEnd - now, 0))] : [];
  });
}

function notAfterOf({ metadata }: KubeObject): number {
  const text = metadata?.annotations?.[Annotation.TlsNotAfter];
  const time = text === undefined ? Number.NaN : Date.parse(text);
  // Without a known expiry the certificate may have expired.
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** The Secret of that name if this cluster controls it. Any other Secret is neither used nor replaced. */
function find({ secrets, cluster }: ObservedOwnPki, name: string): KubeObject | undefined {
  return secrets.find((secret) => secret.metadata?.name === name && isOwn(cluster.metadata?.uid ?? '', secret));
}
