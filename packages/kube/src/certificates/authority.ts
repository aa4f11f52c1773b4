import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIPv4 } from 'node:net';
import * as der from './der.ts';

/** Whom a certificate names, how long it is valid and what it may be used for. Kubernetes reads the user from the common name. */
export interface CertificateRequest {
  readonly commonName: string;
  /** Kubernetes reads these as the user's groups. */
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
  /** Default: an hour ago. */
  readonly notBefore?: Date;
  /** Default: in a year. */
  readonly notAfter?: Date;
  /** What the certificate may be used for. Default: both. */
  readonly usages?: readonly ('client' | 'server')[];
}

/** PEM texts. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateAuthority {
  /** The authority's own certificate, PEM: what a client trusts. */
  readonly cert: string;
  readonly key: string;
  issue(request: CertificateRequest): IssuedCertificate;
}

/** Creates an authority in memory: ECDSA P-256, valid for ten years unless `life` says otherwise. */
export function createCertificateAuthority(
  commonName = 'test authority',
  life: Pick<CertificateRequest, 'notBefore' | 'notAfter'> = {},
): CertificateAuthority {
  return selfSigned(commonName, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, life);
}

/**
 * The same authority, name and key, with a new life. Whoever trusts either of its two certificates trusts what it has signed, so that one
 * can take the place of the other at any time.
 */
export function renewCertificateAuthority(
  kept: IssuedCertificate,
  life: Pick<CertificateRequest, 'notBefore' | 'notAfter'> = {},
): CertificateAuthority {
  openCertificateAuthority(kept);
  return selfSigned(commonNameOf(new X509Certificate(kept.cert)), createPrivateKey(kept.key), life);
}

function selfSigned(
  commonName: string,
  privateKey: KeyObject,
  life: Pick<CertificateRequest, 'notBefore' | 'notAfter'>,
): CertificateAuthority {
  const publicKey = createPublicKey(privateKey);
  const request = { commonName, notAfter: new Date(Date.now() + 10 * YEAR_MS), ...life };
  const cert = certificate(request, publicKey, privateKey, distinguishedName(commonName, []), [
    extension('2.5.29.19', true, der.sequence(der.boolean(true))),
    extension('2.5.29.15', true, der.bits(Buffer.from([0x06]), 1)),
    extension('2.5.29.14', false, der.octets(keyId(publicKey))),
  ]);
  return authority(commonName, cert, privateKey);
}

/** Opens an authority that `createCertificateAuthority` created earlier. Throws if the key does not belong to the certificate. */
export function openCertificateAuthority({ cert, key }: IssuedCertificate): CertificateAuthority {
  const own = new X509Certificate(cert);
  const privateKey = createPrivateKey(key);
  if (!own.checkPrivateKey(privateKey)) throw new Error('the key is not that of the certificate');
  return authority(commonNameOf(own), cert, privateKey);
}

function commonNameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
}

function authority(commonName: string, cert: string, privateKey: KeyObject): CertificateAuthority {
  const name = distinguishedName(commonName, []);
  const publicKey = createPublicKey(privateKey);
  return {
    cert,
    key: pemOfKey(privateKey),
    issue(leaf) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const extensions = leafExtensions(leaf, pair.publicKey, publicKey);
      return {
        cert: certificate(leaf, pair.publicKey, privateKey, name, extensions),
        key: pemOfKey(pair.privateKey),
      };
    },
  };
}

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const USAGES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

function certificate(
  request: CertificateRequest,
  subjectKey: KeyObject,
  issuerKey: KeyObject,
  issuerName: Buffer,
  extensions: readonly Buffer[],
): string {
  const algorithm = der.sequence(der.objectId(ECDSA_WITH_SHA256));
  const body = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    issuerName,
    der.sequence(
      der.time(request.notBefore ?? new Date(Date.now() - HOUR_MS)),
      der.time(request.notAfter ?? new Date(Date.now() + YEAR_MS)),
    ),
    distinguishedName(request.commonName, request.organizations ?? []),
    subjectKey.export({ type: 'spki', format: 'der' }),
    der.explicit(3, der.sequence(...extensions)),
  );
  const whole = der.sequence(body, algorithm, der.bits(sign('sha256', body, issuerKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function leafExtensions(request: CertificateRequest, key: KeyObject, issuerKey: KeyObject): readonly Buffer[] {
  const names = [
    ...(request.dnsNames ?? []).map((name) => der.implicit(2, Buffer.from(name, 'ascii'))),
    ...(request.ips ?? []).map((ip) => der.implicit(7, ipBytes(ip))),
  ];
  const usages = (request.usages ?? ['server', 'client']).map((usage) => der.objectId(USAGES[usage]));
  return [
    extension('2.5.29.19', true, der.sequence()),
    extension('2.5.29.15', true, der.bits(Buffer.from([0xa0]), 5)),
    extension('2.5.29.37', false, der.sequence(...usages)),
    extension('2.5.29.14', false, der.octets(keyId(key))),
    extension('2.5.29.35', false, der.sequence(der.implicit(0, keyId(issuerKey)))),
    ...(names.length > 0 ? [extension('2.5.29.17', false, der.sequence(...names))] : []),
  ];
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return der.sequence(der.objectId(id), ...(isCritical ? [der.boolean(true)] : []), der.octets(value));
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  return der.sequence(...organizations.map((name) => attribute('2.5.4.10', name)), attribute('2.5.4.3', commonName));
}

function attribute(id: string, value: string): Buffer {
  return der.setOf(der.sequence(der.objectId(id), der.utf8(value)));
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

function pemOfKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function ipBytes(ip: string): Buffer {
  if (isIPv4(ip)) return Buffer.from(ip.split('.').map(Number));
  const [head = '', tail] = ip.split('::');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

function groups(part: string): number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
}
