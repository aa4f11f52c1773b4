/** Everything that can be wrong with a RayJob beyond what its schema says. */
import type { FeatureGates } from '../feature-gates.ts';
import { Label } from '../labels.ts';
import { MaxNameLength } from '../limits.ts';
import { isSet, keysOf, type Loose, numberOf, textAt, textOf } from '../loose.ts';
import type { ObjectMeta } from '../meta.ts';
import { isK8sAuthEnabled } from '../predicates.ts';
import { JobDeploymentStatus, JobSubmissionMode, type RayJob, type RayJobSpec } from '../rayjob.ts';
import { checkDeletion } from './deletion.ts';
import { type FieldError, fieldError, firstError, prefixed } from './field-error.ts';
import { checkObjectName } from './object-name.ts';
import { validateRayClusterSpec } from './raycluster.ts';
import { runtimeEnvProblem, type YamlParser } from './runtime-env.ts';
import { restartsContainers } from './input.ts';

const INVALID = 'The RayJob spec is invalid: ';

interface JobInput {
  readonly spec: Loose<RayJobSpec>;
  readonly annotations: unknown;
  readonly gates: FeatureGates;
  readonly parseYaml: YamlParser;
  readonly at: string;
}

/** Checks the name, from which the names of the cluster and the submitter are made. */
export function validateRayJobMetadata(metadata: Loose<ObjectMeta>): FieldError | undefined {
  return prefixed('The RayJob metadata is invalid: ', checkObjectName('RayJob', metadata, MaxNameLength.RayJob));
}

/** The order of these checks decides which message a user sees. */
const SPEC_CHECKS = [
  checkSuspend,
  checkTtl,
  (input: JobInput) => checkDeletion(input.spec, input.gates, input.at),
  checkCluster,
  checkClusterSelector,
  checkInteractiveMode,
  checkSidecarMode,
  checkClusterSpec,
  checkRuntimeEnv,
  checkLimits,
];

/** Checks a job's spec; the first rule that it breaks is told. `at` is where in its object the spec stands. */
export function validateRayJobSpec(
  spec: Loose<RayJobSpec>,
  annotations: unknown,
  gates: FeatureGates,
  parseYaml: YamlParser,
  at = 'spec',
): FieldError | undefined {
  return firstError({ spec, annotations, gates, parseYaml, at }, SPEC_CHECKS);
}

/** Checks that the status fits the way in which the job is submitted. */
export function validateRayJobStatus(job: Loose<RayJob>): FieldError | undefined {
  const waits = job?.status?.jobDeploymentStatus === JobDeploymentStatus.Waiting;
  if (!waits || job.spec?.submissionMode === JobSubmissionMode.Interactive) return undefined;
  const rule = 'JobDeploymentStatus cannot be `Waiting` when SubmissionMode is not InteractiveMode';
  return fieldError('status.jobDeploymentStatus', `The RayJob status is invalid: ${rule}`);
}

function checkSuspend({ spec, at }: JobInput): FieldError | undefined {
  if (spec?.suspend !== true || spec.shutdownAfterJobFinishes === true) return undefined;
  const rule = 'a RayJob with shutdownAfterJobFinishes set to false is not allowed to be suspended';
  return fieldError(`${at}.suspend`, INVALID + rule);
}

function checkTtl({ spec, at }: JobInput): FieldError | undefined {
  if ((numberOf(spec?.ttlSecondsAfterFinished) ?? 0) >= 0) return undefined;
  const rule = 'TTLSecondsAfterFinished must be a non-negative integer';
  return fieldError(`${at}.ttlSecondsAfterFinished`, INVALID + rule);
}

function selectsCluster(spec: Loose<RayJobSpec>): boolean {
  return keysOf(spec?.clusterSelector).length > 0;
}

function checkCluster({ spec, at }: JobInput): FieldError | undefined {
  if (spec?.suspend === true && selectsCluster(spec)) {
    const rule = "the ClusterSelector mode doesn't support the suspend operation";
    return fieldError(`${at}.suspend`, INVALID + rule);
  }
  if (isSet(spec?.rayClusterSpec) || selectsCluster(spec)) return undefined;
  return fieldError(`${at}.rayClusterSpec`, `${INVALID}one of RayClusterSpec or ClusterSelector must be set`);
}

function checkClusterSelector({ spec, at }: JobInput): FieldError | undefined {
  if (!selectsCluster(spec)) return undefined;
  if (textAt(spec?.clusterSelector, Label.Cluster) === '') {
    return fieldError(`${at}.clusterSelector`, 'cluster name in ClusterSelector should not be empty');
  }
  if (spec?.submissionMode === JobSubmissionMode.Sidecar) {
    return fieldError(`${at}.clusterSelector`, 'ClusterSelector is not supported in SidecarMode');
  }
  if (!retries(spec)) return undefined;
  return fieldError(`${at}.backoffLimit`, `${INVALID}BackoffLimit is incompatible with ClusterSelector mode`);
}

function checkInteractiveMode({ spec, at }: JobInput): FieldError | undefined {
  if (spec?.submissionMode !== JobSubmissionMode.Interactive || !retries(spec)) return undefined;
  return fieldError(`${at}.backoffLimit`, `${INVALID}BackoffLimit is incompatible with InteractiveMode`);
}

function retries(spec: Loose<RayJobSpec>): boolean {
  return (numberOf(spec?.backoffLimit) ?? 0) > 0;
}

function checkSidecarMode({ spec, at }: JobInput): FieldError | undefined {
  if (spec?.submissionMode !== JobSubmissionMode.Sidecar) return undefined;
  const refuse = (field: string, name: string) =>
    fieldError(`${at}.${field}`, `Currently, SidecarMode doesn't support ${name}`);
  if (isSet(spec.submitterPodTemplate)) return refuse('submitterPodTemplate', 'SubmitterPodTemplate');
  if (isSet(spec.submitterConfig)) return refuse('submitterConfig', 'SubmitterConfig');
  if (!restartsContainers(spec.rayClusterSpec?.headGroupSpec)) return undefined;
  return fieldError(
    `${at}.rayClusterSpec.headGroupSpec.template.spec.restartPolicy`,
    'restartPolicy for head Pod should be Never or unset when using SidecarMode',
  );
}

function checkClusterSpec({ spec, annotations, gates, at }: JobInput): FieldError | undefined {
  const cluster = spec?.rayClusterSpec;
  if (!isSet(cluster)) return undefined;
  const path = `${at}.rayClusterSpec`;
  if (isK8sAuthEnabled(cluster)) {
    const rule = 'K8s token auth mode is currently not supported for RayJob';
    return fieldError(`${path}.authOptions.enableK8sTokenAuth`, INVALID + rule);
  }
  return prefixed(INVALID, validateRayClusterSpec(cluster, annotations, gates, path));
}

function checkRuntimeEnv({ spec, parseYaml, at }: JobInput): FieldError | undefined {
  const problem = runtimeEnvProblem(textOf(spec?.runtimeEnvYAML), parseYaml);
  return problem === undefined ? undefined : fieldError(`${at}.runtimeEnvYAML`, problem);
}

function checkLimits({ spec, at }: JobInput): FieldError | undefined {
  const refuse = (field: string) => fieldError(`${at}.${field}`, `${INVALID}${field} must be a positive integer`);
  if ((numberOf(spec?.activeDeadlineSeconds) ?? 1) <= 0) return refuse('activeDeadlineSeconds');
  if ((numberOf(spec?.preRunningDeadlineSeconds) ?? 1) <= 0) return refuse('preRunningDeadlineSeconds');
  if ((numberOf(spec?.backoffLimit) ?? 0) < 0) return refuse('backoffLimit');
  return undefined;
}
