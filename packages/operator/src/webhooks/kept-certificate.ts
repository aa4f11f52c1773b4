import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { createCertificateAuthority } from '@manta/kube';
import type { ServingCertificate } from './certificate.ts';

/** A certificate of our own making, with what has to be trusted for it. PEM texts. */
export interface KeptCertificate extends ServingCertificate {
  /** The authority that signed it, and before a renewal has been heard of everywhere, the one before. */
  readonly ca: string;
}

const DAY_MS = 86_400_000;
const LIFE_MS = 365 * DAY_MS;
/** Clock skew: a client whose clock is behind must accept a new certificate. */
const HEAD_START_MS = DAY_MS / 24;
/** It is renewed when this much of its life is left. */
const RENEW_MS = LIFE_MS / 3;

/** Creates a certificate for these names. The authority's key is discarded, so a reader of the Secret cannot sign with it. */
export function makeCertificate(dnsNames: readonly string[], now: number, before?: string): KeptCertificate {
  const life = { notBefore: new Date(now - HEAD_START_MS), notAfter: new Date(now + LIFE_MS) };
  const authority = createCertificateAuthority('manta webhooks', life);
  const { cert, key } = authority.issue({ ...life, commonName: dnsNames[0] ?? 'manta', dnsNames });
  const [lastCa = ''] = before?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/) ?? [];
  return { cert, key, ca: authority.cert + lastCa };
}

/** Why a stored certificate must be reissued; undefined while it is valid. */
export function whyRenew(
  { cert, key, ca }: KeptCertificate,
  dnsNames: readonly string[],
  now: number,
): string | undefined {
  try {
    const leaf = new X509Certificate(cert);
    const left = leaf.validToDate.getTime() - now;
    if (left <= 0) return 'it has expired';
    if (left < RENEW_MS) return 'it expires before long';
    if (dnsNames.some((name) => leaf.checkHost(name) === undefined)) return 'it is for other names';
    if (!leaf.verify(new X509Certificate(ca).publicKey)) return 'it was signed by somebody else';
    createSecureContext({ cert, key });
    return undefined;
  } catch {
    return 'it cannot be read';
  }
}
