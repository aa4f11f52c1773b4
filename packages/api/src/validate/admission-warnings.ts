/** What users should hear though their object is accepted: fields without effect, and edits that end pods. */
import { canonicalJson, isSameJson } from '../canonical-json.ts';
import { isSet, keysOf, type Loose, listOf, textOf } from '../loose.ts';
import { type RayCluster, type RayClusterSpec, RayClusterUpgradeType } from '../raycluster.ts';
import { JobSubmissionMode, type RayJob, type RayJobSpec } from '../rayjob.ts';
import { type RayService, RayServiceUpgradeType } from '../rayservice.ts';
import { isReleaseAtLeast, parseSemver } from '../semver.ts';

/** Warnings about a RayCluster that is made, or changed from `before`. */
export function warnAboutRayCluster(cluster: Loose<RayCluster>, before?: Loose<RayCluster>): readonly string[] {
  return [...clusterFieldWarnings(cluster?.spec, 'spec'), ...templateChange(cluster, before)];
}

/** Warnings about a RayJob that is made, or changed from `before`. */
export function warnAboutRayJob(job: Loose<RayJob>, before?: Loose<RayJob>): readonly string[] {
  return [
    ...clusterFieldWarnings(job?.spec?.rayClusterSpec, 'spec.rayClusterSpec'),
    ...jobFieldWarnings(job?.spec),
    ...frozenFieldWarnings(job?.spec, before),
  ];
}

/** Warnings about a RayService that is made, or changed from `before`. */
export function warnAboutRayService(service: Loose<RayService>, before?: Loose<RayService>): readonly string[] {
  const spec = service?.spec;
  const retired = (['serviceUnhealthySecondThreshold', 'deploymentUnhealthySecondThreshold'] as const).filter((field) =>
    isSet(spec?.[field]),
  );
  return [
    ...clusterFieldWarnings(spec?.rayClusterConfig, 'spec.rayClusterConfig'),
    ...retired.map((field) => `spec.${field} is no longer used and has no effect`),
    ...serviceUpgrade(service, before),
  ];
}

function clusterFieldWarnings(spec: Loose<RayClusterSpec>, at: string): readonly string[] {
  const warnings: string[] = [];
  const hasAutoscaler = spec?.enableInTreeAutoscaling === true;
  if (isSet(spec?.autoscalerOptions) && !hasAutoscaler)
    warnings.push(`${at}.autoscalerOptions has no effect unless ${at}.enableInTreeAutoscaling is true`);
  for (const [index, group] of listOf(spec?.workerGroupSpecs).entries()) {
    const field = `${at}.workerGroupSpecs[${index}]`;
    if (isSet(group?.idleTimeoutSeconds) && !hasAutoscaler)
      warnings.push(`${field}.idleTimeoutSeconds has no effect unless ${at}.enableInTreeAutoscaling is true`);
    const outside = replicasOutside(group);
    if (outside !== undefined) warnings.push(`${field}.replicas ${outside}`);
  }
  return warnings;
}

function replicasOutside(group: Loose<NonNullable<RayClusterSpec['workerGroupSpecs']>[number]>): string | undefined {
  const { replicas, minReplicas, maxReplicas } = group ?? {};
  if (typeof replicas !== 'number') return undefined;
  if (typeof minReplicas === 'number' && replicas < minReplicas)
    return `is ${replicas}, but minReplicas is ${minReplicas}: ${minReplicas} will run`;
  if (typeof maxReplicas === 'number' && replicas > maxReplicas)
    return `is ${replicas}, but maxReplicas is ${maxReplicas}: ${maxReplicas} will run`;
  return undefined;
}

function templateChange(cluster: Loose<RayCluster>, before: Loose<RayCluster>): readonly string[] {
  if (!isSet(before) || podsOf(cluster?.spec) === podsOf(before?.spec)) return [];
  return cluster?.spec?.upgradeStrategy?.type === RayClusterUpgradeType.Recreate
    ? [
        'the pods of this cluster changed and spec.upgradeStrategy.type is Recreate: all its pods will be ended and made anew',
      ]
    : [
        'the pods of this cluster changed: pods that run stay as they are, and only pods made from now on follow the new spec',
      ];
}

/** Everything that makes a pod what it is; replica counts and the autoscaler's wishes are none of it. */
function podsOf(spec: Loose<RayClusterSpec>): string {
  const shape = (group: object | null | undefined) => ({
    ...group,
    replicas: undefined,
    minReplicas: undefined,
    maxReplicas: undefined,
    scaleStrategy: undefined,
    suspend: undefined,
  });
  const groups = listOf(spec?.workerGroupSpecs).map((group) => [textOf(group?.groupName), shape(group)] as const);
  const templates = Object.fromEntries(groups);
  return canonicalJson({ head: spec?.headGroupSpec?.template, params: spec?.headGroupSpec?.rayStartParams, templates });
}

function jobFieldWarnings(spec: Loose<RayJobSpec>): readonly string[] {
  const mode = textOf(spec?.submissionMode) || JobSubmissionMode.K8sJob;
  const warnings: string[] = [];
  if (isSet(spec?.submitterPodTemplate) && mode !== JobSubmissionMode.K8sJob)
    warnings.push(`spec.submitterPodTemplate has no effect with spec.submissionMode ${mode}`);
  if (textOf(spec?.entrypoint) !== '' && mode === JobSubmissionMode.Interactive)
    warnings.push(
      'spec.entrypoint has no effect with spec.submissionMode InteractiveMode: you submit the job yourself',
    );
  if (isSet(spec?.clusterSelector) && isSet(spec?.rayClusterSpec))
    warnings.push(
      'spec.rayClusterSpec has no effect with spec.clusterSelector: the job runs on the cluster that is named there',
    );
  if (!MODES.includes(mode))
    warnings.push(`spec.submissionMode ${mode} is unknown, so nobody submits the job; known are ${MODES.join(', ')}`);
  const version = textOf(spec?.rayClusterSpec?.rayVersion);
  const isCommand = mode === JobSubmissionMode.K8sJob || mode === JobSubmissionMode.Sidecar;
  if (isCommand && keysOf(spec?.metadata).length > 0 && !takesMetadata(version))
    warnings.push(
      `spec.metadata needs Ray 2.6.0 or newer, and spec.rayClusterSpec.rayVersion is ${version}: the job will not be submitted`,
    );
  return warnings;
}

const MODES: readonly string[] = Object.values(JobSubmissionMode);

/** Without a version nobody can tell, and it is tried. */
function takesMetadata(rayVersion: string): boolean {
  if (rayVersion === '') return true;
  const version = parseSemver(rayVersion);
  return version.ok && isReleaseAtLeast(version.value, [2, 6, 0]);
}

/** What a job that has begun no longer reads. */
function frozenFieldWarnings(spec: Loose<RayJobSpec>, before: Loose<RayJob>): readonly string[] {
  if (textOf(before?.status?.jobDeploymentStatus) === '' || before?.spec?.suspend === true) return [];
  const frozen = ['entrypoint', 'runtimeEnvYAML', 'rayClusterSpec', 'submissionMode', 'metadata'] as const;
  return frozen
    .filter((field) => !isSameJson(spec?.[field], before?.spec?.[field]))
    .map((field) => `spec.${field} changed, but this job has begun: the change has no effect on its current attempt`);
}

function serviceUpgrade(service: Loose<RayService>, before: Loose<RayService>): readonly string[] {
  if (!isSet(before)) return [];
  if (podsOf(service?.spec?.rayClusterConfig) === podsOf(before?.spec?.rayClusterConfig)) return [];
  return service?.spec?.upgradeStrategy?.type === RayServiceUpgradeType.None
    ? ['spec.rayClusterConfig changed, but spec.upgradeStrategy.type is None: the running cluster stays as it is']
    : ['spec.rayClusterConfig changed: a second cluster will be made, and takes over once it serves'];
}
