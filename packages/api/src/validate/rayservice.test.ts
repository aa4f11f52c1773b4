import { describe, expect, it } from 'vitest';
import { defaultFeatureGates } from '../feature-gates.ts';
import type { RayService, RayServiceSpec } from '../rayservice.ts';
import { rayClusterSpec, rayService, withSpec, workerGroup } from '../testing/fixtures.ts';
import { validateRayServiceMetadata, validateRayServiceSpec } from './rayservice.ts';

const gates = defaultFeatureGates();
const autoscaling = rayClusterSpec({ enableInTreeAutoscaling: true });
const pace = { gatewayClassName: 'istio', stepSizePercent: 10, intervalSeconds: 1 };

function validate(fields: Partial<RayServiceSpec>, on = gates) {
  const { spec } = rayService('demo', withSpec<RayService>(fields));
  return validateRayServiceSpec(spec, {}, on);
}

function incremental(options: object, rayClusterConfig = autoscaling): Partial<RayServiceSpec> {
  const clusterUpgradeOptions = { ...pace, ...options };
  return { rayClusterConfig, upgradeStrategy: { type: 'NewClusterWithIncrementalUpgrade', clusterUpgradeOptions } };
}

const REFUSALS: Readonly<Record<string, readonly [Partial<RayServiceSpec>, field: string, message: string]>> = {
  'Kubernetes tokens': [
    { rayClusterConfig: rayClusterSpec({ authOptions: { enableK8sTokenAuth: true } }) },
    'spec.rayClusterConfig.authOptions.enableK8sTokenAuth',
    'K8s token auth mode is currently not supported for RayService',
  ],
  'a bad cluster, told by its path in the service': [
    { rayClusterConfig: rayClusterSpec({ workerGroupSpecs: [workerGroup('a', { maxReplicas: -1 })] }) },
    'spec.rayClusterConfig.workerGroupSpecs[0].maxReplicas',
    'worker group a has negative maxReplicas -1',
  ],
  'a name for the head Service': [
    {
      rayClusterConfig: rayClusterSpec({
        headGroupSpec: { ...rayClusterSpec().headGroupSpec, headService: { metadata: { name: 'mine' } } },
      }),
    },
    'spec.rayClusterConfig.headGroupSpec.headService.metadata.name',
    'spec.rayClusterConfig.headGroupSpec.headService.metadata.name should not be set',
  ],
  'an upgrade type that nobody knows': [
    { upgradeStrategy: { type: 'Rolling' as 'None' } },
    'spec.upgradeStrategy.type',
    'Spec.UpgradeStrategy.Type value Rolling is invalid, valid options are NewClusterWithIncrementalUpgrade, NewCluster, or None',
  ],
  'a negative delay': [
    { rayClusterDeletionDelaySeconds: -1 },
    'spec.rayClusterDeletionDelaySeconds',
    'Spec.RayClusterDeletionDelaySeconds should be a non-negative integer, got -1',
  ],
  'an incremental upgrade without autoscaling': [
    incremental({}, rayClusterSpec()),
    'spec.rayClusterConfig.enableInTreeAutoscaling',
    'Ray Autoscaler is required for NewClusterWithIncrementalUpgrade',
  ],
  'an incremental upgrade without options': [
    { rayClusterConfig: autoscaling, upgradeStrategy: { type: 'NewClusterWithIncrementalUpgrade' } },
    'spec.upgradeStrategy.clusterUpgradeOptions',
    'ClusterUpgradeOptions are required for NewClusterWithIncrementalUpgrade',
  ],
  'more surge than there is': [
    incremental({ maxSurgePercent: 101 }),
    'spec.upgradeStrategy.clusterUpgradeOptions.maxSurgePercent',
    'maxSurgePercent must be between 0 and 100',
  ],
  'no step': [
    incremental({ stepSizePercent: null }),
    'spec.upgradeStrategy.clusterUpgradeOptions.stepSizePercent',
    'stepSizePercent must be between 0 and 100',
  ],
  'a step beyond the surge': [
    incremental({ stepSizePercent: 60, maxSurgePercent: 50 }),
    'spec.upgradeStrategy.clusterUpgradeOptions.stepSizePercent',
    'stepSizePercent must be less than or equal to maxSurgePercent',
  ],
  'a step of zero': [
    incremental({ stepSizePercent: 0 }),
    'spec.upgradeStrategy.clusterUpgradeOptions.stepSizePercent',
    'stepSizePercent must be greater than 0, or an upgrade never gets any traffic',
  ],
  'a surge of zero': [
    incremental({ stepSizePercent: 0, maxSurgePercent: 0 }),
    'spec.upgradeStrategy.clusterUpgradeOptions.maxSurgePercent',
    'maxSurgePercent must be greater than 0, or an upgrade never gets any capacity',
  ],
  'no interval': [
    incremental({ intervalSeconds: 0 }),
    'spec.upgradeStrategy.clusterUpgradeOptions.intervalSeconds',
    'intervalSeconds must be greater than 0',
  ],
  'no gateway class': [
    incremental({ gatewayClassName: '' }),
    'spec.upgradeStrategy.clusterUpgradeOptions.gatewayClassName',
    'gatewayClassName is required for NewClusterWithIncrementalUpgrade',
  ],
};

describe('validateRayServiceSpec()', () => {
  it.each(Object.entries(REFUSALS))('refuses %s', (_title, [fields, field, message]) => {
    expect(validate(fields)).toEqual({ field, message: `The RayService spec is invalid: ${message}` });
  });

  it('accepts an incremental upgrade without a word on surge, which is then 100', () => {
    expect(validate(incremental({ stepSizePercent: 100 }))).toBeUndefined();
  });

  it('looks at the pace of an upgrade only where its gate is on', () => {
    const off = { ...gates, RayServiceIncrementalUpgrade: false };
    expect(validate(incremental({ intervalSeconds: 0 }), off)).toBeUndefined();
  });
});

describe('validateRayServiceMetadata()', () => {
  it.each([
    ['0', 'must be a positive duration, got: 0'],
    ['-5m', 'must be a positive duration, got: -5m'],
    ['-100', 'must be a positive integer (seconds), got: -100'],
    [
      'invalid',
      "has invalid format: invalid. Expected Go duration format (e.g., '5m', '1h') or positive integer seconds",
    ],
  ])('refuses an initializing timeout of %s', (timeout, problem) => {
    expect(
      validateRayServiceMetadata({ name: 'demo', annotations: { 'ray.io/initializing-timeout': timeout } }),
    ).toEqual({
      field: 'metadata.annotations[ray.io/initializing-timeout]',
      message: `The RayService metadata is invalid: RayService annotations is invalid: annotation ray.io/initializing-timeout ${problem}`,
    });
  });

  it.each(['', '5m', '300'])('accepts an initializing timeout of "%s"', (timeout) => {
    const annotations = { 'ray.io/initializing-timeout': timeout };
    expect(validateRayServiceMetadata({ name: 'demo', annotations })).toBeUndefined();
  });
});
