import {
  Annotation,
  type KubeObject,
  NodeType,
  type ObjectMeta,
  pkiNames,
  type RayCluster,
  withRayClusterDefaults,
} from '@manta/api';
import { isOwn } from '../ownership.ts';
import { type Action, NOTHING, type Plan } from '../plan.ts';
import { ownPods } from '../raycluster/cluster-state.ts';
import type { ObservedRayCluster } from '../raycluster/observed.ts';
import { timestamp } from '../shared/timestamp.ts';
import { authoritySecret, PkiComponent, pkiMetadata } from './cert-manager.ts';
import { isOutOfDate, leafStateOf } from './leaf-state.ts';
import { type CertificateNames, headNames, workerNames } from './names.ts';
import { expiringSoon, wantsPki } from './plan.ts';

/** Everything a decision about the certificates of a RayCluster needs, where the operator issues them itself. */
export interface ObservedOwnPki extends Pick<ObservedRayCluster, 'cluster' | 'context' | 'installed' | 'pods' | 'now'> {
  /** The Secrets of this cluster's certificates: what is written about them, never what is in them. */
  readonly secrets: readonly KubeObject[];
}

/** A certificate that is to be made, as the Secret that holds it. */
export interface Issue {
  readonly whose: 'authority' | 'head' | 'worker';
  readonly metadata: ObjectMeta;
  /** The Secret that is replaced; absent where there is none yet. */
  readonly live?: KubeObject | undefined;
  readonly names: CertificateNames;
  readonly commonName: string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  /** The Secret of the authority that signs it; for an authority its own, whose key is kept where there is one. */
  readonly authority: string;
}

export interface OwnPkiPlan extends Plan {
  /** In order: an authority comes before what it signs. */
  readonly issues: readonly Issue[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The same figures as cert-manager is given, but that an authority is renewed before anything that it signs could outlive it. */
const AUTHORITY = { lifeMs: 3650 * DAY_MS, renewMs: 120 * DAY_MS };
const LEAF = { lifeMs: 2160 * HOUR_MS, renewMs: 360 * HOUR_MS };
const REST_MS = 60_000;

/** Makes what is missing, covers addresses that have come, and renews in time what would run out. */
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
  // Nothing is signed before its authority is seen as it will be: two of us could make two, and what it signs carries its certificate.
  const issues =
    authority !== undefined || signer === undefined
      ? [authority].filter((issue) => issue !== undefined)
      : leaves.flatMap((part) => issueOf(observed, cluster, part, signer) ?? []);
  return { actions: runningOut(observed, cluster), issues, requeueAfterMs: REST_MS };
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
  // For more names alone the end stays: pods that have the certificate without them count on being replaced before it.
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

/** When a certificate that has to be renewed ends; undefined where it need not be. One that is from the future is of no use already. */
function dueEnd(live: KubeObject, now: number, isAuthority: boolean): number | undefined {
  const { lifeMs, renewMs } = isAuthority ? AUTHORITY : LEAF;
  const leftMs = notAfterOf(live) - now;
  if (leftMs > lifeMs + HOUR_MS || leftMs === Number.NEGATIVE_INFINITY) return now;
  return leftMs < renewMs ? notAfterOf(live) : undefined;
}

/** When a certificate may end that was lost while pods have it; undefined where none have. */
function lostEnd({ pods, now }: ObservedOwnPki, { metadata }: RayCluster, isAuthority: boolean): number | undefined {
  const isUsed = pods.some(({ owner, tlsAuthority }) => owner === metadata?.uid && tlsAuthority !== undefined);
  // How much of its life was left is not known; what was in order had more than this.
  return isUsed && !isAuthority ? now + LEAF.renewMs : undefined;
}

interface Life {
  readonly now: number;
  readonly notAfter: number;
  /** When that ends which is renewed; undefined where it is not. */
  readonly formerEnd: number | undefined;
  /** Its authority is gone. */
  readonly isOrphan: boolean;
  readonly signer: string | undefined;
}

/** What is written on the Secret, so that nobody has to look into it. */
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
    // Pods from before still have the certificate that runs out. One that only got more names is as good for them.
    ...(formerEnd === undefined
      ? {}
      : { [Annotation.TlsRenewedAt]: timestamp(now), [Annotation.TlsFormerNotAfter]: timestamp(formerEnd) }),
    ...(isOrphan ? { [Annotation.TlsAuthoritySince]: timestamp(now) } : {}),
  };
  return { ...before, ...pkiMetadata(cluster, secret, component), annotations };
}

/** Names that are no longer needed do no harm until the next renewal; names that are missing do. */
function covers({ metadata }: KubeObject, { dnsNames, ipAddresses }: CertificateNames): boolean {
  const known = new Set(metadata?.annotations?.[Annotation.TlsNames]?.split(','));
  return [...dnsNames, ...ipAddresses].every((name) => known.has(name));
}

/** Tells in time of pods that were not replaced: a head that would lose what runs on it is not, and others may have been held up. */
function runningOut(observed: ObservedOwnPki, { metadata }: RayCluster): readonly Action[] {
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
  // What nobody knows the end of may have ended.
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** A Secret of this cluster; one of that name that another object controls, or nobody, is not used and not replaced. */
function find({ secrets, cluster }: ObservedOwnPki, name: string): KubeObject | undefined {
  return secrets.find((secret) => secret.metadata?.name === name && isOwn(cluster.metadata?.uid ?? '', secret));
}
