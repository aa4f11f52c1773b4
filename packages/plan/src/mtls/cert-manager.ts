import { type Condition, type KubeObject, Label, type ObjectMeta, pkiNames, type RayCluster } from '@manta/api';
import { childMetadata, clusterLabels } from '../build/child-metadata.ts';
import type { CertificateNames } from './names.ts';

/** The fields of a cert-manager.io/v1 Certificate that the operator uses. */
export interface Certificate extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>> & Partial<CertificateNames> & { readonly secretName?: string };
  readonly status?: {
    readonly conditions?: readonly (Pick<Condition, 'type' | 'status'> & { readonly observedGeneration?: number })[];
    readonly notAfter?: string;
    /** Incremented with each issued certificate. */
    readonly revision?: number;
  };
}

/** The fields of a cert-manager.io/v1 Issuer that the operator writes. */
export interface Issuer extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** The role of each object in a cluster's PKI, recorded in a label. */
export const PkiComponent = {
  SelfSigned: 'selfsigned-issuer',
  Authority: 'ca-certificate',
  Issuer: 'ca-issuer',
  Head: 'head-certificate',
  Worker: 'worker-certificate',
} as const;
export type PkiComponent = (typeof PkiComponent)[keyof typeof PkiComponent];

const API_VERSION = 'cert-manager.io/v1';
const LEAF = {
  duration: '2160h0m0s',
  renewBefore: '360h0m0s',
  usages: ['digital signature', 'key encipherment', 'server auth', 'client auth'],
} as const;

export function buildSelfSignedIssuer(cluster: RayCluster): Issuer {
  return issuer(cluster, pkiNames.selfSignedIssuer(nameOf(cluster)), PkiComponent.SelfSigned, { selfSigned: {} });
}

export function buildAuthorityIssuer(cluster: RayCluster): Issuer {
  const ca = { secretName: authoritySecret(cluster) };
  return issuer(cluster, pkiNames.caIssuer(nameOf(cluster)), PkiComponent.Issuer, { ca });
}

export function buildAuthority(cluster: RayCluster): Certificate {
  const name = nameOf(cluster);
  return {
    apiVersion: API_VERSION,
    kind: 'Certificate',
    metadata: pkiMetadata(cluster, pkiNames.caCertificate(name), PkiComponent.Authority),
    spec: {
      isCA: true,
      commonName: `ray-ca-${name}`,
      secretName: authoritySecret(cluster),
      privateKey: { algorithm: 'RSA', size: 4096 },
      duration: '87600h0m0s',
      renewBefore: '720h0m0s',
      usages: ['cert sign', 'crl sign'],
      issuerRef: issuerRef(pkiNames.selfSignedIssuer(name)),
    },
  };
}

export function buildHeadCertificate(cluster: RayCluster, names: CertificateNames): Certificate {
  const name = nameOf(cluster);
  return leaf(cluster, pkiNames.headCertificate(name), pkiNames.headSecret(name), PkiComponent.Head, names);
}

export function buildWorkerCertificate(cluster: RayCluster, names: CertificateNames): Certificate {
  const name = nameOf(cluster);
  return leaf(cluster, pkiNames.workerCertificate(name), pkiNames.workerSecret(name), PkiComponent.Worker, names);
}

/** Whether cert-manager has issued the certificate for its current spec. */
export function isIssued({ metadata, status }: Certificate): boolean {
  return (
    status?.conditions?.some(
      (condition) =>
        condition.type === 'Ready' &&
        condition.status === 'True' &&
        condition.observedGeneration === metadata?.generation,
    ) ?? false
  );
}

/** The Secret of a cluster's certificate authority. */
export function authoritySecret(cluster: RayCluster): string {
  return pkiNames.caSecret(nameOf(cluster), cluster.metadata?.uid ?? '');
}

/** Metadata of an object in a cluster's PKI. */
export function pkiMetadata(cluster: RayCluster, name: string, component: PkiComponent): ObjectMeta {
  return childMetadata(cluster, name, { ...clusterLabels(cluster), [Label.AppComponent]: component });
}

function issuer(cluster: RayCluster, name: string, component: PkiComponent, spec: Issuer['spec']): Issuer {
  const metadata = pkiMetadata(cluster, name, component);
  return { apiVersion: API_VERSION, kind: 'Issuer', metadata, ...(spec === undefined ? {} : { spec }) };
}

function leaf(
  cluster: RayCluster,
  name: string,
  secretName: string,
  component: PkiComponent,
  names: CertificateNames,
): Certificate {
  return {
    apiVersion: API_VERSION,
    kind: 'Certificate',
    metadata: pkiMetadata(cluster, name, component),
    spec: { secretName, ...LEAF, ...names, issuerRef: issuerRef(pkiNames.caIssuer(nameOf(cluster))) },
  };
}

function issuerRef(name: string) {
  return { name, kind: 'Issuer', group: 'cert-manager.io' };
}

function nameOf({ metadata }: RayCluster): string {
  return metadata?.name ?? '';
}
