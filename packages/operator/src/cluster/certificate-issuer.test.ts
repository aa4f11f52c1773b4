import { defaultFeatureGates } from '@manta/api';
import { expect, it } from 'vitest';
import { certificateIssuer } from './certificate-issuer.ts';

it.each([
  ['cert-manager where it is installed', { hasCertManager: true }, 'cert-manager'],
  ['nobody where it is not', {}, undefined],
  ['the operator where it is told to', { issuesMtlsCertificates: true }, 'operator'],
  ['the operator in the secure profile', { isSecure: true }, 'operator'],
  [
    'the operator also when cert-manager comes: clusters that run keep their authority',
    { issuesMtlsCertificates: true, hasCertManager: true },
    'operator',
  ],
  ['nobody where the gate is off', { isSecure: true, hasCertManager: true, isGateOff: true }, undefined],
])('certificates are issued by %s', (_, given, expected) => {
  const { hasCertManager, issuesMtlsCertificates, isSecure, isGateOff } = {
    hasCertManager: false,
    issuesMtlsCertificates: false,
    isSecure: false,
    isGateOff: false,
    ...given,
  };
  const gates = { ...defaultFeatureGates(), RayClusterMTLS: !isGateOff };
  expect(certificateIssuer({ gates, isSecure }, { hasCertManager }, { issuesMtlsCertificates })).toBe(expected);
});
