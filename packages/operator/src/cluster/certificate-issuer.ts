import type { OperatorEnv } from '@manta/api';
import type { OperatorOptions } from '../options/options.ts';
import type { ClusterFacts } from './facts.ts';

/** Who issues the certificates of mutual TLS. */
export type CertificateIssuer = 'cert-manager' | 'operator';

/**
 * Whom the installation asks for: what else is installed, now or later, must not put another authority under clusters that run. Undefined
 * where nobody does: the gate is off, or cert-manager is missing and we were not told to.
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
