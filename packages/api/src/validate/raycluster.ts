/** Everything that can be wrong with a RayCluster beyond what its schema says. */
import type { FeatureGates } from '../feature-gates.ts';
import { OriginCrd } from '../labels.ts';
import { MaxNameLength } from '../limits.ts';
import { isSet, type Loose, textOf } from '../loose.ts';
import type { ObjectMeta } from '../meta.ts';
import { isTlsEnabled, originOf } from '../predicates.ts';
import { type RayCluster, RayClusterConditionType, type RayClusterSpec, RayClusterUpgradeType } from '../raycluster.ts';
import { isConditionTrue } from '../readiness.ts';
import { checkAuth } from './auth.ts';
import { checkAutoscaler, warnAboutRestarts } from './autoscaler.ts';
import { type FieldError, fieldError, firstError } from './field-error.ts';
import { checkGcsFaultTolerance } from './gcs-fault-tolerance.ts';
import { checkGroupNamesAreUnique, checkHeadGroup, checkWorkerGroups } from './groups.ts';
import { checkHistoryServer } from './history-server.ts';
import { checkNetworkPolicy } from './network-policy.ts';
import { checkObjectName } from './object-name.ts';
import { checkTls } from './tls.ts';

/** Checks the name, from which the names of pods and Services are made. */
export function validateRayClusterMetadata(metadata: Loose<ObjectMeta>): FieldError | undefined {
  return checkObjectName('RayCluster', metadata, MaxNameLength.RayCluster);
}

/** The order of these checks decides which message a user sees. */
const SPEC_CHECKS = [
  checkHeadGroup,
  checkWorkerGroups,
  checkGcsFaultTolerance,
  checkAutoscaler,
  checkHistoryServer,
  checkAuth,
  checkNetworkPolicy,
  checkTls,
  checkGroupNamesAreUnique,
];

/**
 * Checks a cluster's spec; the first rule that it breaks is told. The annotations are those of the object that holds the
 * spec, and `at` is where in that object it stands.
 */
export function validateRayClusterSpec(
  spec: Loose<RayClusterSpec>,
  annotations: unknown,
  gates: FeatureGates,
  at = 'spec',
): FieldError | undefined {
  return firstError({ spec, annotations, gates, at }, SPEC_CHECKS);
}

/** What is worth a warning although the cluster is reconciled all the same. */
export function warnAboutRayClusterSpec(spec: Loose<RayClusterSpec>, gates: FeatureGates): FieldError | undefined {
  return warnAboutRestarts({ spec, annotations: undefined, gates, at: 'spec' });
}

/** Checks that what the spec needs of the Kubernetes cluster is there. */
export function validateRayClusterPrerequisites(
  spec: Loose<RayClusterSpec>,
  gates: FeatureGates,
  present: { readonly certManager: boolean; readonly ownIssuer?: boolean },
): FieldError | undefined {
  if (present.certManager || present.ownIssuer === true || !isTlsEnabled(spec, gates)) return undefined;
  const remedy =
    'install it, or start the operator with ISSUE_MTLS_CERTIFICATES=true to have it issue certificates itself';
  return fieldError(
    'spec.tlsOptions',
    `tlsOptions requires cert-manager, but cert-manager is not installed: ${remedy}`,
  );
}

/** Checks the upgrade strategy, which only clusters made by users may have. */
export function validateRayClusterUpgradeStrategy(cluster: Loose<RayCluster>): FieldError | undefined {
  const type: unknown = cluster?.spec?.upgradeStrategy?.type;
  if (!isSet(type)) return undefined;
  const field = 'spec.upgradeStrategy.type';
  const { Recreate, None } = RayClusterUpgradeType;
  if (type !== Recreate && type !== None) {
    const problem = `Spec.UpgradeStrategy.Type value ${textOf(type)} is invalid, valid options are ${Recreate} or ${None}`;
    return fieldError(field, `The RayCluster spec is invalid: ${problem}`);
  }
  const origin = originOf(cluster?.metadata?.labels);
  if (origin === OriginCrd.RayCluster) return undefined;
  return fieldError(field, `upgradeStrategy cannot be set when RayCluster is created by ${origin}`);
}

/** Checks that the status doesn't contradict itself. */
export function validateRayClusterStatus(cluster: Loose<RayCluster>): FieldError | undefined {
  const conditions = cluster?.status?.conditions;
  const { Suspending, Suspended } = RayClusterConditionType;
  if (!isConditionTrue(conditions, Suspending) || !isConditionTrue(conditions, Suspended)) return undefined;
  const message =
    'invalid RayCluster State: rayv1.RayClusterSuspending and rayv1.RayClusterSuspended conditions should not be both true';
  return fieldError('status.conditions', message);
}
