import { describe, expect, it } from 'vitest';
import { defaultFeatureGates } from './feature-gates.ts';
import {
  isAuthEnabled,
  isAutoscalerV1,
  isAutoscalerV2,
  isAutoscalingEnabled,
  isGcsFaultToleranceEmbedded,
  isGcsFaultToleranceEnabled,
  isIncrementalUpgradeEnabled,
  isK8sAuthEnabled,
  isManagedExternally,
  isTlsEnabled,
  originOf,
  usesAutoscalerV2,
} from './predicates.ts';
import type { RayClusterSpec } from './raycluster.ts';
import { rayClusterSpec } from './testing/fixtures.ts';

const gates = defaultFeatureGates();
const withHeadEnv = (value: string): RayClusterSpec =>
  rayClusterSpec({
    headGroupSpec: {
      template: { spec: { containers: [{ name: 'ray', env: [{ name: 'RAY_enable_autoscaler_v2', value }] }] } },
    },
  });

describe('autoscaling', () => {
  it('is on only where it is asked for', () => {
    expect(isAutoscalingEnabled({ enableInTreeAutoscaling: true })).toBe(true);
    expect(isAutoscalingEnabled({ autoscalerOptions: { version: 'v2' } })).toBe(false);
  });

  it('has the version that is named, whatever the Ray version', () => {
    expect(isAutoscalerV2({ rayVersion: '2.50.0' })).toBe(false);
    expect(isAutoscalerV2({ autoscalerOptions: { version: 'v2' } })).toBe(true);
    expect(isAutoscalerV1({ autoscalerOptions: { version: 'v1' } })).toBe(true);
  });

  it.each([
    ['1', true],
    ['true', true],
    ['false', false],
    ['True', false],
  ])('uses v2 by the variable with value %s: %s', (value, uses) => {
    expect(usesAutoscalerV2(withHeadEnv(value))).toBe(uses);
  });
});

describe('fault tolerance', () => {
  it.each([
    ['options, even empty ones', { gcsFaultToleranceOptions: {} }, {}, true],
    ['the annotation in any case', {}, { 'ray.io/ft-enabled': 'TrUe' }, true],
    ['the annotation with another value', {}, { 'ray.io/ft-enabled': 'yes' }, false],
    ['null options', { gcsFaultToleranceOptions: null }, null, false],
  ])('%s', (_title, spec, annotations, enabled) => {
    expect(isGcsFaultToleranceEnabled(spec, annotations)).toBe(enabled);
  });

  it('is embedded only with the rocksdb backend', () => {
    expect(isGcsFaultToleranceEmbedded({ gcsFaultToleranceOptions: { backend: 'rocksdb' } })).toBe(true);
    expect(isGcsFaultToleranceEmbedded({ gcsFaultToleranceOptions: {} })).toBe(false);
    expect(isGcsFaultToleranceEmbedded({})).toBe(false);
  });
});

describe('other questions', () => {
  it('authentication needs the mode, Kubernetes tokens only their own switch', () => {
    const spec = { authOptions: { enableK8sTokenAuth: true } };
    expect([isAuthEnabled(spec), isK8sAuthEnabled(spec)]).toEqual([false, true]);
    expect(isAuthEnabled({ authOptions: { mode: 'token' } })).toBe(true);
  });

  it('TLS and incremental upgrades need their gates', () => {
    const spec = { tlsOptions: { enabled: true } };
    const service = { upgradeStrategy: { type: 'NewClusterWithIncrementalUpgrade' as const } };
    expect([isTlsEnabled(spec, gates), isTlsEnabled(spec, { ...gates, RayClusterMTLS: true })]).toEqual([false, true]);
    expect([
      isIncrementalUpgradeEnabled(service, gates),
      isIncrementalUpgradeEnabled(service, { ...gates, RayServiceIncrementalUpgrade: false }),
    ]).toEqual([true, false]);
  });

  it('an object is someone else’s where managedBy names someone else', () => {
    expect(isManagedExternally({})).toBe(false);
    expect(isManagedExternally({ managedBy: 'ray.io/kuberay-operator' })).toBe(false);
    expect(isManagedExternally({ managedBy: 'kueue.x-k8s.io/multikueue' })).toBe(true);
  });

  it.each([
    [{ 'ray.io/originated-from-crd': 'RayJob' }, 'RayJob'],
    [{ 'ray.io/originated-from-crd': 'RayService' }, 'RayService'],
    [{ 'ray.io/originated-from-crd': 'RayCronJob' }, 'RayCluster'],
    [undefined, 'RayCluster'],
  ])('labels %j come from a %s', (labels, kind) => {
    expect(originOf(labels)).toBe(kind);
  });
});
