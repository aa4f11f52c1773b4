import {
  Annotation,
  isGcsFaultToleranceEnabled,
  type KubeObject,
  type ObjectMeta,
  pkiNames,
  type RayCluster,
  withRayClusterDefaults,
} from '@manta/api';
import { type Action, NOTHING, type Plan } from '../plan.ts';
import type { ObservedRayCluster } from '../raycluster/observed.ts';
import { timestamp } from '../raycluster/conditions.ts';
import { authoritySecret, PkiComponent, pkiMetadata } from './cert-manager.ts';
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
  /** Of the Secret; with a resourceVersion where it is there already. */
  readonly metadata: ObjectMeta;
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
  const { pods, context } = observed;
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
  const [first] = parts;
  const signer = find(observed, first.secret)?.metadata?.uid;
  // Nothing is signed before its authority is seen: two of us could make two.
  const possible = signer === undefined ? [first] : parts;
  const issues = possible.flatMap((part) => issueOf(observed, cluster, part, signer) ?? []);
  return { actions: headRunsOut(observed, cluster), issues, lookAgainMs: REST_MS };
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
  const { lifeMs, renewMs } = isAuthority ? AUTHORITY : LEAF;
  const live = find(observed, part.secret);
  const isOrphan =
    !isAuthority && live !== undefined && live.metadata?.annotations?.[Annotation.TlsAuthority] !== signer;
  const isDue = live !== undefined && notAfterOf(live) - now < renewMs;
  if (live !== undefined && !isDue && !isOrphan && covers(live, part.names)) return undefined;
  const notAfter = now + lifeMs;
  return {
    whose: part.whose,
    metadata: describe(cluster, part, live, {
      now,
      notAfter,
      isDue,
      isOrphan,
      signer: isAuthority ? undefined : signer,
    }),
    names: part.names,
    commonName: isAuthority ? `ray-ca-${cluster.metadata?.name ?? ''}` : part.secret,
    notAfter,
    authority: authoritySecret(cluster),
  };
}

interface Life {
  readonly now: number;
  readonly notAfter: number;
  readonly isDue: boolean;
  /** Its authority is gone. */
  readonly isOrphan: boolean;
  readonly signer: string | undefined;
}

/** What is written on the Secret, so that nobody has to look into it. */
function describe(
  cluster: RayCluster,
  { secret, component, names }: Part,
  live: KubeObject | undefined,
  { now, notAfter, isDue, isOrphan, signer }: Life,
): ObjectMeta {
  const before = live?.metadata ?? {};
  const annotations = {
    ...before.annotations,
    [Annotation.TlsNames]: [...names.dnsNames, ...names.ipAddresses].join(','),
    [Annotation.TlsNotAfter]: timestamp(notAfter),
    ...(signer === undefined ? {} : { [Annotation.TlsAuthority]: signer }),
    // Pods that are older than this still have the certificate that runs out. One that only got more names is as good for them.
    ...(isDue ? { [Annotation.TlsRenewedAt]: timestamp(now) } : {}),
    ...(isOrphan ? { [Annotation.TlsAuthoritySince]: timestamp(now) } : {}),
  };
  return { ...before, ...pkiMetadata(cluster, secret, component), annotations };
}

/** Names that are no longer needed do no harm until the next renewal; names that are missing do. */
function covers({ metadata }: KubeObject, { dnsNames, ipAddresses }: CertificateNames): boolean {
  const known = new Set(metadata?.annotations?.[Annotation.TlsNames]?.split(','));
  return [...dnsNames, ...ipAddresses].every((name) => known.has(name));
}

/** A head without fault tolerance is not restarted for a certificate: what runs on it would be lost. Its user decides when. */
function headRunsOut(observed: ObservedOwnPki, cluster: RayCluster): readonly Action[] {
  if (isGcsFaultToleranceEnabled(cluster.spec, cluster.metadata?.annotations)) return [];
  const name = pkiNames.headSecret(cluster.metadata?.name ?? '');
  const { pods, now } = observed;
  const renewedAt = renewedAtOf(find(observed, name));
  const old = pods.some((pod) => pod.head !== undefined && !pod.isTerminating && pod.createdAt < renewedAt);
  const leftMs = renewedAt + LEAF.renewMs - now;
  return old && leftMs < DAY_MS ? [expiringSoon(name, Math.max(leftMs, 0))] : [];
}

/** When a certificate was last renewed because it ran out; before all time where it never was. */
export function renewedAtOf(secret: KubeObject | undefined): number {
  return timeIn(secret, Annotation.TlsRenewedAt);
}

/** Since when a certificate has another authority than it had; before all time where it has the first. */
export function authoritySinceOf(secret: KubeObject | undefined): number {
  return timeIn(secret, Annotation.TlsAuthoritySince);
}

function timeIn(secret: KubeObject | undefined, annotation: string): number {
  const text = secret?.metadata?.annotations?.[annotation];
  return text === undefined ? Number.NEGATIVE_INFINITY : Date.parse(text);
}

function notAfterOf({ metadata }: KubeObject): number {
  const text = metadata?.annotations?.[Annotation.TlsNotAfter];
  const time = text === undefined ? Number.NaN : Date.parse(text);
  // What nobody knows the end of may have ended.
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

function find({ secrets }: ObservedOwnPki, name: string): KubeObject | undefined {
  return secrets.find(({ metadata }) => metadata?.name === name);
}
