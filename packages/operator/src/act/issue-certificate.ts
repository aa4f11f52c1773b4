import { MtlsEventReason, type RayCluster, type Secret } from '@manta/api';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  openCertificateAuthority,
  renewCertificateAuthority,
} from '@manta/kube';
import { type Action, type Issue, type PlannedEvent, updateOwn } from '@manta/plan';

/** Clock skew: a client whose clock is behind must accept a new certificate. */
const HEAD_START_MS = 3_600_000;

/** Creates a certificate, and the action that stores it. `signer` is the Secret of the authority, if any. */
export function issueCertificate(
  issue: Issue,
  { metadata: cluster }: RayCluster,
  signer: Secret | undefined,
  now: number,
): readonly Action[] {
  const { whose, live, metadata, notAfter, commonName, names } = issue;
  const life = { notBefore: new Date(now - HEAD_START_MS), notAfter: new Date(notAfter) };
  const authority = whose === 'authority' ? makeAuthority(commonName, signer, life) : openSigner(issue, signer);
  const own = { cert: authority.cert, key: authority.key };
  const { dnsNames, ipAddresses: ips } = names;
  const made = whose === 'authority' ? own : authority.issue({ ...life, commonName, dnsNames, ips });
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': toBase64(made.cert), 'tls.key': toBase64(made.key), 'ca.crt': toBase64(authority.cert) },
  };
  const failed = failedToIssue(issue);
  return live === undefined
    ? [{ type: 'create', kind: 'Secret', objects: [object], whenExists: 'fine-if-ours', failed }]
    : updateOwn(cluster?.uid ?? '', 'Secret', live, object, { failed });
}

/** The event when a certificate cannot be created or stored; the cause is appended. */
export function failedToIssue({ whose }: Pick<Issue, 'whose'>): PlannedEvent {
  const which = whose === 'authority' ? 'CA' : whose;
  const note = `Failed to reconcile mTLS ${which} certificate:`;
  return { severity: 'Warning', reason: MtlsEventReason.FailedToReconcile, action: 'Reconcile', note };
}

type Life = Parameters<typeof createCertificateAuthority>[1];

function makeAuthority(commonName: string, kept: Secret | undefined, life: Life): CertificateAuthority {
  return kept === undefined
    ? createCertificateAuthority(commonName, life)
    : renewCertificateAuthority(pair(kept), life);
}

function openSigner({ authority }: Issue, signer: Secret | undefined): CertificateAuthority {
  if (signer === undefined) throw new Error(`the Secret ${authority} of the certificate authority is gone`);
  try {
    return openCertificateAuthority(pair(signer));
  } catch (error) {
    const remedy = 'delete it to have a new authority made, with which all pods of the cluster are made anew';
    throw new Error(`the Secret ${authority} does not hold a certificate authority with its key: ${remedy}`, {
      cause: error,
    });
  }
}

function pair({ data }: Secret): { readonly cert: string; readonly key: string } {
  return { cert: fromBase64(data?.['tls.crt']), key: fromBase64(data?.['tls.key']) };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function fromBase64(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64').toString();
}
