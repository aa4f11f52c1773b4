import { type CertificateAuthority, createCertificateAuthority as create } from '@manta/kube';

export { type CertificateAuthority, type IssuedCertificate, openCertificateAuthority } from '@manta/kube';

/** An authority for tests. */
export const createCertificateAuthority = (commonName = 'manta-test-ca'): CertificateAuthority => create(commonName);
