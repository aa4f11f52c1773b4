import type { OperatorEnv } from '@manta/api';
import type { OperatorOptions } from '../options/options.ts';
import type { ClusterFacts } from './facts.ts';

/** The issuer of certificates for mutual TLS. */
export type CertificateIssuer = 'cert-manager' | 'operator';

/**
 * The configured issuer. Installing cert-manager later must not replace the authority of running clusters, so it is not detected
 * automatically. Undefined: the feature gate is off, or cert-manager is missing and the operator is not configured as issuer.
 */
export function certificateIssuer(
  { gates, isSecure }: Pick<OperatorOptions, 'gates' | 'isSecure'>,
  { hasCertManager }: Pick<ClusterFacts, 'hasCertManager'>,
  { issuesMtlsCertificates }: Pick<OperatorEnv, 'issuesMtlsCertificates'>,
): CertificateIssuer | undefined {
  if (!gates.RayClusterMTLS) return undefined;
  if (issuesMtlsCertificates || isSecure === true) return 'operator';
  return hasCertManager ? 'cert-manager' : undefined;
}
