/** Questions about a spec that more than one part of the operator asks. All of them take objects as JSON holds them. */
import { Annotation } from './annotations.ts';
import { RAY_CONTAINER_INDEX } from './container-names.ts';
import type { EnvVar } from './core.gen.ts';
import { gcsBackendOf } from './defaults.ts';
import { EnvName } from './env.ts';
import type { FeatureGates } from './feature-gates.ts';
import { Label, OriginCrd } from './labels.ts';
import { isSet, type Loose, listOf, textAt, textOf } from './loose.ts';
import { AuthMode, AutoscalerVersion, GcsBackend, ManagedBy, type RayClusterSpec } from './raycluster.ts';
import { type RayServiceSpec, RayServiceUpgradeType } from './rayservice.ts';

type ClusterSpec = Loose<RayClusterSpec>;

/** Does Ray's autoscaler run beside the head? */
export function isAutoscalingEnabled(spec: ClusterSpec): boolean {
  return spec?.enableInTreeAutoscaling === true;
}

/** Was autoscaler v1 asked for by name? Never concluded from the Ray version. */
export function isAutoscalerV1(spec: ClusterSpec): boolean {
  return spec?.autoscalerOptions?.version === AutoscalerVersion.V1;
}

/** Was autoscaler v2 asked for by name? Never concluded from the Ray version. */
export function isAutoscalerV2(spec: ClusterSpec): boolean {
  return spec?.autoscalerOptions?.version === AutoscalerVersion.V2;
}

/** Is autoscaler v2 asked for by name, or by the old variable of the head's Ray container? */
export function usesAutoscalerV2(spec: ClusterSpec): boolean {
  return isAutoscalerV2(spec) || isTruthyEnv(envByName(headEnv(spec), EnvName.EnableAutoscalerV2));
}

/** Is GCS fault tolerance on, by the old annotation or by options (even empty ones)? */
export function isGcsFaultToleranceEnabled(spec: ClusterSpec, annotations: unknown): boolean {
  return textAt(annotations, Annotation.FtEnabled).toLowerCase() === 'true' || isSet(spec?.gcsFaultToleranceOptions);
}

/** Does the GCS keep its state on a volume rather than in Redis? */
export function isGcsFaultToleranceEmbedded(spec: ClusterSpec): boolean {
  const options = spec?.gcsFaultToleranceOptions;
  return isSet(options) && gcsBackendOf(options) === GcsBackend.RocksDB;
}

/** Does Ray ask its clients for a token? */
export function isAuthEnabled(spec: ClusterSpec): boolean {
  return spec?.authOptions?.mode === AuthMode.Token;
}

/** Are Kubernetes tokens accepted as Ray tokens? Independent of the mode. */
export function isK8sAuthEnabled(spec: ClusterSpec): boolean {
  return spec?.authOptions?.enableK8sTokenAuth === true;
}

/** Do Ray's processes talk mutual TLS? */
export function isTlsEnabled(spec: ClusterSpec, gates: FeatureGates): boolean {
  return gates.RayClusterMTLS && spec?.tlsOptions?.enabled === true;
}

/** Does a service move its traffic step by step to a new cluster? */
export function isIncrementalUpgradeEnabled(spec: Loose<RayServiceSpec>, gates: FeatureGates): boolean {
  return (
    gates.RayServiceIncrementalUpgrade &&
    spec?.upgradeStrategy?.type === RayServiceUpgradeType.NewClusterWithIncrementalUpgrade
  );
}

/** Does another controller (say MultiKueue) look after the object? Then we leave it alone. */
export function isManagedExternally(spec: Loose<{ readonly managedBy?: string }>): boolean {
  const manager = spec?.managedBy;
  return isSet(manager) && manager !== ManagedBy.KubeRayOperator;
}

/** The kind that an object was made for; an unknown or missing label means a RayCluster. */
export function originOf(labels: unknown): OriginCrd {
  const label = textAt(labels, Label.OriginatedFromCrd);
  return Object.values(OriginCrd).find((kind) => kind === label) ?? OriginCrd.RayCluster;
}

/** The variables of the head's Ray container. */
export function headEnv(spec: ClusterSpec): readonly Loose<EnvVar>[] {
  return listOf(listOf(spec?.headGroupSpec?.template?.spec?.containers)[RAY_CONTAINER_INDEX]?.env);
}

/** The first variable of that name. */
export function envByName(env: readonly Loose<EnvVar>[], name: string): Loose<EnvVar> {
  return env.find((variable) => variable?.name === name);
}

/** Is a variable set to what Ray reads as true? */
export function isTruthyEnv(variable: Loose<EnvVar>): boolean {
  const value = textOf(variable?.value);
  return value === '1' || value === 'true';
}
