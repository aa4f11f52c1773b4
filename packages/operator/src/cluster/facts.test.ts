import { describe, expect, it } from 'vitest';
import { factsFrom, isAtLeast } from './facts.ts';

const groups = (...names: [string, ...string[]][]) => ({
  groups: names.map(([name, ...versions]) => ({ name, versions: versions.map((version) => ({ version })) })),
});

describe('factsFrom()', () => {
  it('reads a plain cluster', () => {
    expect(factsFrom('v1.36.4', groups(['apps', 'v1']))).toEqual({
      kubernetes: [1, 36, 4],
      gitVersion: 'v1.36.4',
      isOpenShift: false,
      hasCertManager: false,
      workloadSchedulingVersion: undefined,
    });
  });

  it.each(['route.openshift.io', 'security.openshift.io', 'config.openshift.io'])('takes %s for OpenShift', (group) => {
    expect(factsFrom('v1.30.0', groups([group, 'v1'])).isOpenShift).toBe(true);
  });

  it('sees cert-manager only in the version that is used', () => {
    expect(factsFrom('v1.30.0', groups(['cert-manager.io', 'v1'])).hasCertManager).toBe(true);
    expect(factsFrom('v1.30.0', groups(['cert-manager.io', 'v1alpha2'])).hasCertManager).toBe(false);
  });

  it('finds the served version of workload scheduling', () => {
    expect(factsFrom('v1.36.0', groups(['scheduling.k8s.io', 'v1', 'v1alpha2'])).workloadSchedulingVersion).toBe(
      'v1alpha2',
    );
  });
});

it.each([
  ['v1.35.0', true],
  ['v1.35.0-eks-1', true],
  ['v2.0.0', true],
  ['v1.34.9', false],
  ['garbage', false],
])('isAtLeast(%s, 1.35) is %s', (version, expected) => {
  expect(isAtLeast(factsFrom(version, {}), 1, 35)).toBe(expected);
});
