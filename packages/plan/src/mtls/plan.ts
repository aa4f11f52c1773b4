import {
  isManagedExternally,
  isTlsEnabled,
  type KubeObject,
  type OwnerReference,
  pkiNames,
  type RayCluster,
  type RayClusterSpec,
  MtlsEventReason as Reason,
  type Secret,
  withRayClusterDefaults,
} from '@manta/api';
import { controllerOf, isOwn, updateExcepted, updateOwn } from '../ownership.ts';
import { type Action, NOTHING, normal, type Plan, warning } from '../plan.ts';
import { ownPods } from '../raycluster/cluster-state.ts';
import type { ObservedRayCluster } from '../raycluster/observed.ts';
import { isValidCluster } from '../raycluster/validation.ts';
import {
  buildAuthority,
  buildAuthorityIssuer,
  buildHeadCertificate,
  buildSelfSignedIssuer,
  buildWorkerCertificate,
  type Certificate,
  isIssued,
} from './cert-manager.ts';
import { headNames, workerNames } from './names.ts';

/** Everything a decision about the certificates of a RayCluster needs if cert-manager issues them. */
export interface ObservedPki extends Pick<ObservedRayCluster, 'cluster' | 'context' | 'installed' | 'pods' | 'now'> {
  /** Those with the cluster's label. */
  readonly issuers: readonly KubeObject[];
  readonly certificates: readonly Certificate[];
  /** The Secrets of issued certificates that have no owner reference to their Certificate yet. */
  readonly secrets: readonly Secret[];
}

const WAIT_MS = 30_000;
const REST_MS = 60_000;
const SOON_MS = 24 * 3_600_000;

/** Whether the operator manages certificates of this cluster: mTLS is enabled, and the cluster is valid, not deleted, and ours to reconcile. */
export function wantsPki({ cluster, ...rest }: Pick<ObservedPki, 'cluster' | 'context' | 'installed'>): boolean {
  const { spec, metadata } = cluster;
  if (spec === undefined || isManagedExternally(spec) || metadata?.deletionTimestamp !== undefined) return false;
  return isTlsEnabled(spec, rest.context.gates) && isValidCluster({ ...rest, cluster });
}

/** Requests from cert-manager a certificate authority for the cluster, then the certificates of head and workers. */
export function planPki(observed: ObservedPki): Plan {
  const cluster = withRayClusterDefaults(observed.cluster);
  if (cluster.spec === undefined || !wantsPki({ ...observed, cluster })) return NOTHING;
  const { head, worker } = leaves(observed, cluster, cluster.spec);
  const actions = [
    ...ensure(observed.issuers, 'Issuer', 'self-signed issuer', buildSelfSignedIssuer(cluster)),
    ...ensure(observed.certificates, 'Certificate', 'CA certificate', buildAuthority(cluster)),
    ...ensure(observed.issuers, 'Issuer', 'CA issuer', buildAuthorityIssuer(cluster)),
    ...ensureLeaf(observed, 'head', head),
    ...ensureLeaf(observed, 'worker', worker),
    ...ownSecrets(observed),
  ];
  return {
    actions: [...actions, ...verdict(observed, cluster)],
    requeueAfterMs: isReady(observed) ? REST_MS : WAIT_MS,
  };
}

function leaves(observed: ObservedPki, cluster: RayCluster, spec: RayClusterSpec) {
  const { context } = observed;
  const pods = ownPods(observed);
  return {
    head: buildHeadCertificate(cluster, headNames(cluster, spec, pods, context)),
    worker: buildWorkerCertificate(cluster, workerNames(pods)),
  };
}

function ensure(
  existing: readonly KubeObject[],
  kind: 'Issuer' | 'Certificate',
  step: string,
  wanted: KubeObject,
): readonly Action[] {
  if (find(existing, wanted) !== undefined) return [];
  return [{ type: 'create', kind, objects: [wanted], whenExists: 'fine', ...failing(step) }];
}

/** Compares only desired fields: cert-manager or users may have set others. */
function ensureLeaf(
  { certificates: existing, cluster }: ObservedPki,
  whose: 'head' | 'worker',
  wanted: Certificate,
): readonly Action[] {
  const step = `${whose} certificate`;
  const live = find(existing, wanted);
  if (live === undefined) return ensure(existing, 'Certificate', step, wanted);
  if (areLabelled(live, wanted) && areNamed(live, wanted)) return [];
  const labels = { ...live.metadata?.labels, ...wanted.metadata?.labels };
  const object = { ...live, metadata: { ...live.metadata, labels }, spec: { ...live.spec, ...wanted.spec } };
  const addresses = `[${wanted.spec?.ipAddresses?.join(' ') ?? ''}]`;
  const done = normal(Reason.CertificatesUpdated, 'Update', `Updated ${whose} certificate SANs (IPs: ${addresses})`);
  return updateOwn(cluster.metadata?.uid ?? '', 'Certificate', live, object, { done, ...failing(step) });
}

/** Garbage collection deletes a Secret with its Certificate, and a Certificate with the cluster. */
function ownSecrets({ secrets, certificates, cluster }: ObservedPki): readonly Action[] {
  return secrets.flatMap((secret) => {
    const certificate = certificates.find(({ spec }) => spec?.secretName === secret.metadata?.name);
    if (certificate === undefined || isOwned(secret, certificate)) return [];
    const issuedFor = secret.metadata?.annotations?.[CERTIFICATE_NAME] ?? '';
    const { name = '', uid = '' } = certificate.metadata ?? {};
    if (issuedFor !== name || !isOwn(cluster.metadata?.uid ?? '', certificate)) return [];
    const ownerReferences = [...(secret.metadata?.ownerReferences ?? []), referenceTo(certificate)];
    const object = { ...secret, metadata: { ...secret.metadata, ownerReferences } };
    const link = { name, uid, owner: controllerOf(certificate) };
    const words = { ...failing('secret ownership'), isOptional: true };
    return [updateExcepted({ name: 'issued-secret', certificate: link, issuedFor }, 'Secret', secret, object, words)];
  });
}

/** cert-manager's annotation on a Secret: the name of its Certificate. */
const CERTIFICATE_NAME = 'cert-manager.io/certificate-name';

function verdict(observed: ObservedPki, cluster: RayCluster): readonly Action[] {
  if (!isReady(observed))
    return [emit(normal(Reason.CertsNotReady, 'Reconcile', 'Waiting for cert-manager to issue mTLS certificates'))];
  const ready = 'mTLS PKI is ready: CA, head, and worker certificates issued';
  return [emit(normal(Reason.PkiReady, 'Reconcile', ready)), ...expiring(observed, cluster)];
}

function expiring({ certificates, now }: ObservedPki, { metadata }: RayCluster): readonly Action[] {
  const name = metadata?.name ?? '';
  const names = [pkiNames.headCertificate(name), pkiNames.workerCertificate(name), pkiNames.caCertificate(name)];
  return names.flatMap((each) => {
    const notAfter = certificates.find((certificate) => certificate.metadata?.name === each)?.status?.notAfter;
    const leftMs = notAfter === undefined ? Number.POSITIVE_INFINITY : Date.parse(notAfter) - now;
    return leftMs < SOON_MS ? [expiringSoon(each, leftMs)] : [];
  });
}

/** Warns about a certificate that expires soon. */
export function expiringSoon(certificate: string, leftMs: number): Action {
  const hours = (leftMs / 3_600_000).toFixed(1);
  const note = `TLS certificate ${certificate} expires in ${hours} hours; Ray does not hot-reload certs so a pod restart will be needed after renewal`;
  return emit(warning(Reason.CertificateExpiringSoon, 'Reconcile', note));
}

function isReady({ certificates, cluster }: ObservedPki): boolean {
  const name = cluster.metadata?.name ?? '';
  return [pkiNames.headCertificate(name), pkiNames.workerCertificate(name)].every((each) =>
    certificates.some((certificate) => certificate.metadata?.name === each && isIssued(certificate)),
  );
}

function areLabelled(live: Certificate, wanted: Certificate): boolean {
  return Object.entries(wanted.metadata?.labels ?? {}).every(([key, value]) => live.metadata?.labels?.[key] === value);
}

function areNamed({ spec: live = {} }: Certificate, { spec: wanted = {} }: Certificate): boolean {
  const same = (a: readonly string[] = [], b: readonly string[] = []) => a.toSorted().join() === b.toSorted().join();
  return same(live.dnsNames, wanted.dnsNames) && same(live.ipAddresses, wanted.ipAddresses);
}

function isOwned({ metadata }: Secret, certificate: Certificate): boolean {
  return metadata?.ownerReferences?.some(({ uid }) => uid === certificate.metadata?.uid) ?? false;
}

function referenceTo({ metadata }: Certificate): OwnerReference {
  const { name = '', uid = '' } = metadata ?? {};
  return { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', name, uid };
}

function find<T extends KubeObject>(existing: readonly T[], { metadata }: KubeObject): T | undefined {
  return existing.find((each) => each.metadata?.name === metadata?.name);
}

function failing(step: string): { readonly failed: ReturnType<typeof warning> } {
  return { failed: warning(Reason.FailedToReconcile, 'Reconcile', `Failed to reconcile mTLS ${step}:`) };
}

function emit(event: ReturnType<typeof normal>): Action {
  return { type: 'event', event };
}
