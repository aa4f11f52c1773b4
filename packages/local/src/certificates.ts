import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  createPrivateKey,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import {
  bitString,
  derTrue,
  integer,
  objectId,
  octetString,
  pem,
  sequence,
  setOf,
  tagged,
  taggedBytes,
  time,
  utf8String,
} from './der.ts';

/** A certificate and its private key, both as PEM text. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Whom a certificate names, how long it is good and what for. Kubernetes reads users from the common name and groups from organizations. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
  /** A minute ago unless told. */
  readonly notBefore?: Date;
  /** A year from now unless told. */
  readonly notAfter?: Date;
  /** What the certificate may be used for; both unless told. */
  readonly usages?: readonly ('client' | 'server')[];
}

/** A certificate authority; whoever wants to keep it writes its two texts down. */
export interface CertificateAuthority extends KeyPair {
  /** Makes a key and a certificate for it. */
  issue(request: CertificateRequest): KeyPair;
}

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));
const usageIds = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;
const extensionIds = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

const minuteMs = 60_000;
const yearMs = 365 * 24 * 60 * minuteMs;

const attribute = (id: string, value: string): Buffer => setOf(sequence(objectId(id), utf8String(value)));

function distinguishedName(commonName: string, organizations: readonly string[] = []): Buffer {
  return sequence(...organizations.map((name) => attribute('2.5.4.10', name)), attribute('2.5.4.3', commonName));
}

function extension(id: string, value: Uint8Array, critical = false): Buffer {
  return sequence(objectId(id), ...(critical ? [derTrue] : []), octetString(value));
}

const ipGroups = (text: string | undefined): readonly string[] => (text ? text.split(':') : []);

function ipBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const left = ipGroups(head);
  const right = ipGroups(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function subjectAltNames(request: CertificateRequest): readonly Buffer[] {
  const dns = (request.dnsNames ?? []).map((name) => taggedBytes(2, Buffer.from(name)));
  const ips = (request.ips ?? []).map((address) => taggedBytes(7, ipBytes(address)));
  const names = [...dns, ...ips];
  return names.length === 0 ? [] : [extension(extensionIds.subjectAltName, sequence(...names))];
}

interface Unsigned {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function signCertificate(unsigned: Unsigned, signer: KeyObject): string {
  const version3 = tagged(0, integer(Buffer.from([2])));
  const serial = randomBytes(16);
  serial[0] = (serial[0] ?? 0) | 0x01;
  const body = sequence(
    version3,
    integer(serial),
    ecdsaWithSha256,
    unsigned.issuer,
    sequence(time(unsigned.notBefore), time(unsigned.notAfter)),
    unsigned.subject,
    unsigned.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...unsigned.extensions)),
  );
  return pem('CERTIFICATE', sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, signer))));
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keyText = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

function leafExtensions(request: CertificateRequest, key: KeyObject, issuer: KeyObject): readonly Buffer[] {
  const usages = (request.usages ?? ['client', 'server']).map((usage) => objectId(usageIds[usage]));
  return [
    extension(extensionIds.basicConstraints, sequence(), true),
    extension(extensionIds.keyUsage, bitString(Buffer.from([0x80]), 7), true),
    extension(extensionIds.extendedKeyUsage, sequence(...usages)),
    extension(extensionIds.subjectKeyId, octetString(keyId(key))),
    extension(extensionIds.authorityKeyId, sequence(taggedBytes(0, keyId(issuer)))),
    ...subjectAltNames(request),
  ];
}

/** An authority from a key pair that `createCertificateAuthority` made, for whoever kept it. */
export function openCertificateAuthority(pair: KeyPair, commonName: string): CertificateAuthority {
  const signer = createPrivateKey(pair.key);
  const issuerKey = new X509Certificate(pair.cert).publicKey;
  const issue = (request: CertificateRequest): KeyPair => {
    const { publicKey, privateKey } = newKey();
    const certificate = signCertificate(
      {
        subject: distinguishedName(request.commonName, request.organizations),
        issuer: distinguishedName(commonName),
        notBefore: request.notBefore ?? new Date(Date.now() - minuteMs),
        notAfter: request.notAfter ?? new Date(Date.now() + yearMs),
        publicKey,
        extensions: leafExtensions(request, publicKey, issuerKey),
      },
      signer,
    );
    return { cert: certificate, key: keyText(privateKey) };
  };
  return { cert: pair.cert, key: pair.key, issue };
}

/** Makes a certificate authority of our own, without any program but Node. */
export function createCertificateAuthority(commonName: string): CertificateAuthority {
  const { publicKey, privateKey } = newKey();
  const name = distinguishedName(commonName);
  const certificate = signCertificate(
    {
      subject: name,
      issuer: name,
      notBefore: new Date(Date.now() - yearMs),
      notAfter: new Date(Date.now() + 10 * yearMs),
      publicKey,
      extensions: [
        extension(extensionIds.basicConstraints, sequence(derTrue), true),
        extension(extensionIds.keyUsage, bitString(Buffer.from([0x06]), 1), true),
        extension(extensionIds.subjectKeyId, octetString(keyId(publicKey))),
      ],
    },
    privateKey,
  );
  return openCertificateAuthority({ cert: certificate, key: keyText(privateKey) }, commonName);
}
