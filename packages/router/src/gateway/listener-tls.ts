import { X509Certificate } from 'node:crypto';
import { certificateProblem } from '../proxy/certificates.ts';
import type { CertificateRef, Gateway, Listener } from './kinds.ts';
import type { CertificateRecord, Observed, SecretName } from './observed.ts';
import { grantHint, mayRefer, type Referrer } from './reference-grants.ts';

/** Why a listener's TLS is invalid: the Gateway API's reason, and our message. */
export interface ListenerProblem {
  readonly type: 'Accepted' | 'ResolvedRefs';
  readonly reason:
    | 'UnsupportedProtocol'
    | 'UnsupportedValue'
    | 'InvalidCertificateRef'
    | 'RefNotPermitted'
    | 'HostnameConflict';
  readonly message: string;
}

/** Is this a protocol that we can serve? */
export function isServed({ protocol }: Listener): boolean {
  return protocol === 'HTTP' || protocol === 'HTTPS';
}

/** Does it serve clients with TLS? */
export function isSecure({ protocol }: Listener): boolean {
  return protocol === 'HTTPS';
}

/** The Secrets that an HTTPS listener names and may name, or what is wrong with it. A listener without TLS names none. */
export function certificateNames(
  listener: Listener,
  gateway: Gateway,
  observed: Pick<Observed, 'grants'>,
): readonly SecretName[] | ListenerProblem {
  const { protocol = '', tls = {} } = listener;
  if (!isServed(listener))
    return refused('UnsupportedProtocol', `the router serves HTTP and HTTPS only, not ${protocol}`);
  if (!isSecure(listener)) return [];
  const { mode = 'Terminate', certificateRefs = [], frontendValidation } = tls;
  if (mode !== 'Terminate')
    return refused('UnsupportedValue', `the router ends TLS itself; tls.mode ${mode} is not served`);
  // A user who wants client certificates to be checked must not get a listener that lets every client in.
  if (frontendValidation !== undefined || gateway.spec?.tls?.frontend !== undefined)
    return refused('UnsupportedValue', 'the router does not look at certificates of clients');
  if (certificateRefs.length === 0) return unresolved('InvalidCertificateRef', 'tls.certificateRefs names no Secret');
  const names: SecretName[] = [];
  for (const ref of certificateRefs) {
    const name = nameOf(ref, { kind: 'Gateway', namespace: gateway.metadata?.namespace ?? '' }, observed);
    if ('reason' in name) return name;
    names.push(name);
  }
  return names;
}

/** The certificates of an HTTPS listener, or what is wrong with it. A listener without TLS has none and needs none. */
export function listenerCertificates(
  listener: Listener,
  gateway: Gateway,
  observed: Observed,
): readonly CertificateRecord[] | ListenerProblem {
  const names = certificateNames(listener, gateway, observed);
  if ('reason' in names) return names;
  const found: CertificateRecord[] = [];
  for (const name of names) {
    const certificate = certificateOf(name, observed);
    if ('reason' in certificate) return certificate;
    // One identity holds one certificate of each kind of key: of two the first counts.
    if (!found.some((other) => keyKind(other) === keyKind(certificate))) found.push(certificate);
  }
  return found;
}

function nameOf(ref: CertificateRef, from: Referrer, observed: Pick<Observed, 'grants'>): SecretName | ListenerProblem {
  const { group = '', kind = 'Secret', name = '', namespace = from.namespace } = ref;
  const told = `${namespace}/${name}`;
  if (group !== '' || kind !== 'Secret')
    return unresolved('InvalidCertificateRef', `${told}: ${kind} holds no certificate; name a Secret`);
  if (!OBJECT_NAME.test(name) || !OBJECT_NAME.test(namespace))
    return unresolved('InvalidCertificateRef', `${told}: this is not a name that a Secret can have`);
  const to = { kind, namespace, name } as const;
  if (!mayRefer(from, to, observed)) return unresolved('RefNotPermitted', `${told}: ${grantHint(from, to)}`);
  return { namespace, name };
}

/** Names become part of a field selector: a comma or an equals sign there would select other Secrets. */
const OBJECT_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

function certificateOf({ namespace, name }: SecretName, observed: Observed): CertificateRecord | ListenerProblem {
  const invalid = (why: string) => unresolved('InvalidCertificateRef', `${namespace}/${name}: ${why}`);
  const certificate = observed.certificate(namespace, name);
  if (certificate.kind === 'unreadable') return invalid(certificate.why);
  if (certificate.kind === 'absent') return invalid('there is no such Secret of type kubernetes.io/tls');
  const problem = problemOf(certificate.record);
  return problem === undefined ? certificate.record : invalid(problem);
}

/** Certificates are read once, not for every table. */
const problems = new WeakMap<CertificateRecord, string>();

function problemOf(certificate: CertificateRecord): string | undefined {
  let problem = problems.get(certificate);
  if (problem === undefined) {
    const { cert, key } = certificate;
    problem = cert === '' || key === '' ? 'it needs tls.crt and tls.key' : (certificateProblem(cert, key) ?? '');
    problems.set(certificate, problem);
  }
  return problem === '' ? undefined : problem;
}

function keyKind({ cert }: CertificateRecord): string | undefined {
  return new X509Certificate(cert).publicKey.asymmetricKeyType;
}

function refused(reason: ListenerProblem['reason'], message: string): ListenerProblem {
  return { type: 'Accepted', reason, message };
}

function unresolved(reason: ListenerProblem['reason'], message: string): ListenerProblem {
  return { type: 'ResolvedRefs', reason, message };
}
