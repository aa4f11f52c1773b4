import { createPrivateKey, X509Certificate } from 'node:crypto';
import { errorMessage } from './config-error.ts';
import type { Fields } from './fields.ts';

/** The PEM text of a `*-data` field. */
export function decodeData(owner: Fields, field: string, base64: string): string {
  const packed = base64.replaceAll(/[\r\n]/g, '');
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) {
    throw owner.error(field, 'is not base64; encode the PEM file with `base64 -w0` and put the result here');
  }
  return Buffer.from(packed, 'base64').toString('utf8');
}

/** Says what is wrong with a bundle of certificates, or nothing. */
export function certificateProblem(pem: string): string | undefined {
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) return 'holds no PEM certificate (-----BEGIN CERTIFICATE-----)';
  try {
    return new X509Certificate(pem).raw.length > 0 ? undefined : 'holds an empty certificate';
  } catch (error) {
    return `holds a certificate that cannot be parsed (${errorMessage(error)})`;
  }
}

/** Why a private key is invalid or does not match its certificate; undefined if it is fine. */
export function keyProblem(certPem: string, keyPem: string): string | undefined {
  try {
    const key = createPrivateKey(keyPem);
    return new X509Certificate(certPem).checkPrivateKey(key) ? undefined : 'does not belong to the client certificate';
  } catch (error) {
    return `is not a usable PEM private key (${errorMessage(error)})`;
  }
}
