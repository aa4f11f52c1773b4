/** Everything that can be wrong with a RayService beyond what its schema says. */
import { Annotation } from '../annotations.ts';
import type { FeatureGates } from '../feature-gates.ts';
import { MaxNameLength } from '../limits.ts';
import { isSet, type Loose, numberOf, textAt, textOf } from '../loose.ts';
import type { ObjectMeta } from '../meta.ts';
import { isAutoscalingEnabled, isIncrementalUpgradeEnabled, isK8sAuthEnabled } from '../predicates.ts';
import { type ClusterUpgradeOptions, type RayServiceSpec, RayServiceUpgradeType } from '../rayservice.ts';
import { initializingTimeout, upgradeProgressDeadline } from '../timeout-annotations.ts';
import { type FieldError, fieldError, firstError, prefixed } from './field-error.ts';
import { checkObjectName } from './object-name.ts';
import { validateRayClusterSpec } from './raycluster.ts';

interface ServiceInput {
  readonly spec: Loose<RayServiceSpec>;
  readonly annotations: unknown;
  readonly gates: FeatureGates;
}

const MAX_SURGE_PERCENT_DEFAULT = 100;

/** Checks the name, and the annotation that limits how long a new service may take. */
export function validateRayServiceMetadata(metadata: Loose<ObjectMeta>): FieldError | undefined {
  const error =
    checkObjectName('RayService', metadata, MaxNameLength.RayService) ??
    prefixed('RayService annotations is invalid: ', checkTimes(metadata?.annotations));
  return prefixed('The RayService metadata is invalid: ', error);
}

function checkTimes(annotations: unknown): FieldError | undefined {
  return (
    checkTime(annotations, Annotation.InitializingTimeout, initializingTimeout) ??
    checkTime(annotations, Annotation.UpgradeProgressDeadline, upgradeProgressDeadline)
  );
}

function checkTime(annotations: unknown, key: string, read: typeof initializingTimeout): FieldError | undefined {
  const time = read({ [key]: textAt(annotations, key) });
  return time.ok ? undefined : fieldError(`metadata.annotations[${key}]`, time.error);
}

/** The order of these checks decides which message a user sees. */
const SPEC_CHECKS = [
  checkK8sAuth,
  (input: ServiceInput) =>
    validateRayClusterSpec(input.spec?.rayClusterConfig, input.annotations, input.gates, 'spec.rayClusterConfig'),
  checkHeadServiceName,
  checkUpgradeType,
  checkDeletionDelay,
  checkIncrementalUpgrade,
];

/** Checks a service's spec; the first rule that it breaks is told. */
export function validateRayServiceSpec(
  spec: Loose<RayServiceSpec>,
  annotations: unknown,
  gates: FeatureGates,
): FieldError | undefined {
  return prefixed('The RayService spec is invalid: ', firstError({ spec, annotations, gates }, SPEC_CHECKS));
}

function checkK8sAuth({ spec }: ServiceInput): FieldError | undefined {
  if (!isK8sAuthEnabled(spec?.rayClusterConfig)) return undefined;
  return fieldError(
    'spec.rayClusterConfig.authOptions.enableK8sTokenAuth',
    'K8s token auth mode is currently not supported for RayService',
  );
}

function checkHeadServiceName({ spec }: ServiceInput): FieldError | undefined {
  if (textOf(spec?.rayClusterConfig?.headGroupSpec?.headService?.metadata?.name) === '') return undefined;
  const field = 'spec.rayClusterConfig.headGroupSpec.headService.metadata.name';
  return fieldError(field, `${field} should not be set`);
}

function checkUpgradeType({ spec }: ServiceInput): FieldError | undefined {
  const type: unknown = spec?.upgradeStrategy?.type;
  const { NewCluster, NewClusterWithIncrementalUpgrade, None } = RayServiceUpgradeType;
  if (!isSet(type) || Object.values<unknown>(RayServiceUpgradeType).includes(type)) return undefined;
  const options = `valid options are ${NewClusterWithIncrementalUpgrade}, ${NewCluster}, or ${None}`;
  const message = `Spec.UpgradeStrategy.Type value ${textOf(type)} is invalid, ${options}`;
  return fieldError('spec.upgradeStrategy.type', message);
}

function checkDeletionDelay({ spec }: ServiceInput): FieldError | undefined {
  const seconds = numberOf(spec?.rayClusterDeletionDelaySeconds) ?? 0;
  if (seconds >= 0) return undefined;
  const message = `Spec.RayClusterDeletionDelaySeconds should be a non-negative integer, got ${seconds}`;
  return fieldError('spec.rayClusterDeletionDelaySeconds', message);
}

function checkIncrementalUpgrade({ spec, gates }: ServiceInput): FieldError | undefined {
  if (!isIncrementalUpgradeEnabled(spec, gates)) return undefined;
  if (!isAutoscalingEnabled(spec?.rayClusterConfig)) {
    const message = 'Ray Autoscaler is required for NewClusterWithIncrementalUpgrade';
    return fieldError('spec.rayClusterConfig.enableInTreeAutoscaling', message);
  }
  const options = spec?.upgradeStrategy?.clusterUpgradeOptions;
  const path = 'spec.upgradeStrategy.clusterUpgradeOptions';
  if (!isSet(options)) {
    return fieldError(path, 'ClusterUpgradeOptions are required for NewClusterWithIncrementalUpgrade');
  }
  return checkPace(options, path);
}

function checkPace(options: Loose<ClusterUpgradeOptions>, path: string): FieldError | undefined {
  const surge = numberOf(options?.maxSurgePercent) ?? MAX_SURGE_PERCENT_DEFAULT;
  const step = numberOf(options?.stepSizePercent);
  if (!isPercentage(surge)) return fieldError(`${path}.maxSurgePercent`, 'maxSurgePercent must be between 0 and 100');
  if (step === undefined || !isPercentage(step)) {
    return fieldError(`${path}.stepSizePercent`, 'stepSizePercent must be between 0 and 100');
  }
  if (step > surge) {
    return fieldError(`${path}.stepSizePercent`, 'stepSizePercent must be less than or equal to maxSurgePercent');
  }
  if (surge === 0) {
    return fieldError(
      `${path}.maxSurgePercent`,
      'maxSurgePercent must be greater than 0, or an upgrade never gets any capacity',
    );
  }
  if (step === 0) {
    return fieldError(
      `${path}.stepSizePercent`,
      'stepSizePercent must be greater than 0, or an upgrade never gets any traffic',
    );
  }
  if ((numberOf(options?.intervalSeconds) ?? 0) <= 0) {
    return fieldError(`${path}.intervalSeconds`, 'intervalSeconds must be greater than 0');
  }
  if (textOf(options?.gatewayClassName) !== '') return undefined;
  const message = 'gatewayClassName is required for NewClusterWithIncrementalUpgrade';
  return fieldError(`${path}.gatewayClassName`, message);
}

function isPercentage(value: number): boolean {
  return value >= 0 && value <= 100;
}
