import type { CustomResourceColumnDefinition } from '../core.gen.ts';
import { bool, embedded, int, list, map, number, object, rule, type Schema, string, time } from './dsl.ts';
import { podTemplateSpec } from './pod-template.gen.ts';
import { clusterSpec } from './raycluster.ts';
import { clusterStatus } from './raycluster-status.ts';
import { managedBy, root } from './shared-fields.ts';

const deletionPolicy = (description: string): Schema =>
  string(description, { enum: ['DeleteCluster', 'DeleteWorkers', 'DeleteSelf', 'DeleteNone'] });

const deletionCondition = object(
  {
    jobStatus: string('True after the Ray job ended with this status.', { enum: ['SUCCEEDED', 'FAILED'] }),
    jobDeploymentStatus: string('True after the RayJob itself ended with this status.', { enum: ['Failed'] }),
    ttlSeconds: int('Delay in seconds between the end of the job and the deletion.', { default: 0, minimum: 0 }),
  },
  'Condition that triggers the deletion.',
  {
    rules: [
      rule(
        '!(has(self.jobStatus) && has(self.jobDeploymentStatus))',
        'JobStatus and JobDeploymentStatus cannot be used together within the same deletion condition.',
      ),
      rule(
        'has(self.jobStatus) || has(self.jobDeploymentStatus)',
        'the deletion condition requires either the JobStatus or the JobDeploymentStatus field.',
      ),
    ],
  },
);

const deletionRule = object(
  { policy: deletionPolicy('What the operator deletes.'), condition: deletionCondition },
  'One deletion after the end of the job.',
  { required: ['condition', 'policy'] },
);

const legacyPolicy = (description: string): Schema =>
  object({ policy: deletionPolicy('What the operator deletes.') }, description);

const deletionStrategy = object(
  {
    onSuccess: legacyPolicy('What the operator deletes after a success. Prefer deletionRules.'),
    onFailure: legacyPolicy('What the operator deletes after a failure. Prefer deletionRules.'),
    deletionRules: list(deletionRule, 'Deletions after the end of the job, each with its own condition and delay.', {
      minItems: 1,
      isAtomic: true,
    }),
  },
  'What the operator deletes after the end of the job, and when.',
  {
    rules: [
      rule(
        '!((has(self.onSuccess) || has(self.onFailure)) && has(self.deletionRules))',
        'legacy policies (onSuccess/onFailure) and deletionRules cannot be used together within the same deletionStrategy',
      ),
      rule(
        '((has(self.onSuccess) && has(self.onFailure)) || has(self.deletionRules))',
        'deletionStrategy requires either BOTH onSuccess and onFailure, OR the deletionRules field (cannot be empty)',
      ),
    ],
  },
);

/** The fields of a RayJob's spec. */
export const jobSpecFields = {
  entrypoint: string('The shell command that Ray runs as the job.'),
  rayClusterSpec: clusterSpec('Spec of the Ray cluster that the operator creates for this job.'),
  clusterSelector: map(string(), 'Runs the job on an existing RayCluster. The key `ray.io/cluster` names it.'),
  submissionMode: string('How the job is submitted to Ray: K8sJobMode, HTTPMode, SidecarMode or InteractiveMode.', {
    default: 'K8sJobMode',
  }),
  jobId: string('Submission ID of the job in Ray. The operator generates one if unset.'),
  metadata: map(string(), "Metadata of the job, shown in Ray's dashboard."),
  runtimeEnvYAML: string("The job's runtime environment (packages, files, variables), as YAML text."),
  entrypointNumCpus: number('CPUs to reserve for the entrypoint command.'),
  entrypointNumGpus: number('GPUs to reserve for the entrypoint command.'),
  entrypointResources: string('Custom resources to reserve for the entrypoint command, as JSON text.'),
  submitterPodTemplate: embedded(podTemplateSpec, 'Template of the submitter pod in K8sJobMode.'),
  submitterConfig: object(
    { backoffLimit: int("Number of retries of the submitter's Kubernetes Job; 2 if unset.") },
    "Settings of the submitter's Kubernetes Job in K8sJobMode.",
  ),
  backoffLimit: int('Number of retries of the whole job, each on a new cluster.', { default: 0 }),
  activeDeadlineSeconds: int(
    'Deadline in seconds from the start of the RayJob to its end. After it, the RayJob fails.',
  ),
  preRunningDeadlineSeconds: int(
    'Deadline in seconds from the start of the RayJob until the job runs. After it, the RayJob fails.',
    {
      minimum: 1,
    },
  ),
  ttlSecondsAfterFinished: int(
    'Delay in seconds between the end of the job and the deletion that shutdownAfterJobFinishes requests.',
    {
      default: 0,
    },
  ),
  shutdownAfterJobFinishes: bool('Deletes the cluster of this job after the job ended.'),
  suspend: bool('Stops the job and deletes its cluster, or prevents a new job from starting.'),
  managedBy,
  deletionStrategy,
};

/** A RayJob's spec in v1, also embedded by RayCronJob. */
export function jobSpec(description: string): Schema {
  return object(jobSpecFields, description);
}

/** The fields of a RayJob's status. */
export const jobStatusFields = {
  jobId: string('Submission ID of the job in Ray.'),
  rayClusterName: string('Name of the cluster on which the job runs.'),
  dashboardURL: string("Host and port of the job's Ray dashboard, without a scheme."),
  jobStatus: string(
    'Status that Ray reports: PENDING, RUNNING, STOPPED, SUCCEEDED or FAILED; empty before the submission.',
  ),
  jobDeploymentStatus: string('State of the RayJob, from Initializing to Complete or Failed.'),
  reason: string('Machine-readable reason of a failure.'),
  message: string('Explanation of the current state, from Ray or the operator.'),
  startTime: time('Time at which the operator started the RayJob.'),
  endTime: time('Time at which the RayJob ended.'),
  jobStatusCheckFailureStartTime: time('Time of the first of the current consecutive failures to reach the dashboard.'),
  rayJobInfo: object(
    {
      startTime: time('Time at which Ray started the job.'),
      endTime: time('Time at which Ray recorded the end of the job.'),
    },
    'Times that Ray reports.',
  ),
  succeeded: int('Number of successful attempts.', { default: 0 }),
  failed: int('Number of failed attempts.', { default: 0 }),
  rayClusterStatus: clusterStatus,
  observedGeneration: int('Generation of the spec that this status describes.', undefined, 'int64'),
  attempts: list(
    object({
      number: int('Number of the attempt, starting at 1.'),
      rayClusterName: string('Name of the cluster on which the attempt ran.'),
      submissionId: string('Submission ID of the job in Ray.'),
      startTime: time('Time at which the attempt started.'),
      endTime: time('Time at which the attempt ended.'),
      outcome: string(
        'Succeeded, Stopped, Failed, Suspended, or Lost if the outcome cannot be determined; empty while the attempt runs.',
      ),
      reason: string('Machine-readable reason of the outcome.'),
      headRestarts: int('Number of restarts of the Ray container in the head pod before the submission.'),
    }),
    'Attempts of the job, oldest first. The last 20 are kept.',
    { isAtomic: true },
  ),
};

/** The RayJob kind in v1. */
export const rayJob: Schema = root(
  jobSpec('Desired state of the job.'),
  object(jobStatusFields, 'Observed state of the job.'),
  'A Ray job and the cluster on which it runs.',
);

/** What `kubectl get rayjobs` shows. */
export const rayJobColumns: readonly CustomResourceColumnDefinition[] = [
  { name: 'job status', jsonPath: '.status.jobStatus', type: 'string' },
  { name: 'deployment status', jsonPath: '.status.jobDeploymentStatus', type: 'string' },
  { name: 'ray cluster name', jsonPath: '.status.rayClusterName', type: 'string' },
  { name: 'start time', jsonPath: '.status.startTime', type: 'string' },
  { name: 'end time', jsonPath: '.status.endTime', type: 'string' },
  { name: 'age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
  { name: 'reason', jsonPath: '.status.reason', type: 'string' },
  { name: 'message', jsonPath: '.status.message', type: 'string', priority: 1 },
];
