import {
  type CertificateAuthority,
  createCertificateAuthority as create,
} from '../../packages/local/src/certificates.ts';

export {
  type CertificateAuthority,
  type KeyPair,
  openCertificateAuthority,
} from '../../packages/local/src/certificates.ts';

/** An authority for tests. */
export const createCertificateAuthority = (commonName = 'manta-test-ca'): CertificateAuthority => create(commonName);
