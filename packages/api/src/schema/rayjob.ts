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
    jobStatus: string('Holds once the Ray job ended this way.', { enum: ['SUCCEEDED', 'FAILED'] }),
    jobDeploymentStatus: string('Holds once the RayJob itself ended this way.', { enum: ['Failed'] }),
    ttlSeconds: int('How long the status must have held before the policy is carried out.', { default: 0, minimum: 0 }),
  },
  'When the policy is carried out.',
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
  { policy: deletionPolicy('What to delete.'), condition: deletionCondition },
  'Deletes something some time after the job ended in a certain way.',
  { required: ['condition', 'policy'] },
);

const legacyPolicy = (description: string): Schema =>
  object({ policy: deletionPolicy('What to delete.') }, description);

const deletionStrategy = object(
  {
    onSuccess: legacyPolicy('What to delete after a success; deletionRules can say more.'),
    onFailure: legacyPolicy('What to delete after a failure; deletionRules can say more.'),
    deletionRules: list(deletionRule, 'Steps of cleaning up, each after its own time.', {
      minItems: 1,
      isAtomic: true,
    }),
  },
  'What is cleaned up after the job, and when.',
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
  rayClusterSpec: clusterSpec('The Ray cluster that is made for this job.'),
  clusterSelector: map(string(), 'Runs the job on a cluster that exists: `ray.io/cluster` names it.'),
  submissionMode: string('How the job is handed to Ray: K8sJobMode, HTTPMode, SidecarMode or InteractiveMode.', {
    default: 'K8sJobMode',
  }),
  jobId: string('Id of the job in Ray; one is made up when left out.'),
  metadata: map(string(), "Metadata of the job, shown in Ray's dashboard."),
  runtimeEnvYAML: string("The job's runtime environment (packages, files, variables), as YAML text."),
  entrypointNumCpus: number('CPUs to reserve for the entrypoint command.'),
  entrypointNumGpus: number('GPUs to reserve for the entrypoint command.'),
  entrypointResources: string('Custom resources to reserve for the entrypoint command, as JSON text.'),
  submitterPodTemplate: embedded(podTemplateSpec, 'The pod that submits the job in K8sJobMode.'),
  submitterConfig: object(
    { backoffLimit: int('How often the submitting Kubernetes Job may be retried; 2 when left out.') },
    'Settings of the Kubernetes Job that submits the job in K8sJobMode.',
  ),
  backoffLimit: int('How often the whole job is tried again, each time on a new cluster.', { default: 0 }),
  activeDeadlineSeconds: int('How long the RayJob may take from its start until it ends; then it has failed.'),
  preRunningDeadlineSeconds: int('How long the RayJob may take until its job runs; then it has failed.', {
    minimum: 1,
  }),
  ttlSecondsAfterFinished: int('How long to wait after the end before shutdownAfterJobFinishes takes effect.', {
    default: 0,
  }),
  shutdownAfterJobFinishes: bool('Deletes the cluster of this job when the job has ended.'),
  suspend: bool('Stops the job and takes its cluster down, or keeps a new job from starting.'),
  managedBy,
  deletionStrategy,
};

/** A RayJob's spec in v1, also embedded by RayCronJob. */
export function jobSpec(description: string): Schema {
  return object(jobSpecFields, description);
}

/** The fields of a RayJob's status. */
export const jobStatusFields = {
  jobId: string('Id of the job in Ray.'),
  rayClusterName: string('Name of the cluster that the job runs on.'),
  dashboardURL: string('Host and port of the dashboard that the job was submitted to, without a scheme.'),
  jobStatus: string('What Ray says: PENDING, RUNNING, STOPPED, SUCCEEDED, FAILED, or empty before that.'),
  jobDeploymentStatus: string('What the operator is doing for the job, from Initializing to Complete or Failed.'),
  reason: string('Why the RayJob failed, in one word.'),
  message: string('What Ray or the operator has to say about the current state.'),
  startTime: time('When the operator took the job on.'),
  endTime: time('When the RayJob ended.'),
  jobStatusCheckFailureStartTime: time('Since when the dashboard has not answered.'),
  rayJobInfo: object(
    { startTime: time('When Ray started the job.'), endTime: time('When Ray saw the job end.') },
    'Times as Ray tells them.',
  ),
  succeeded: int('How many tries succeeded.', { default: 0 }),
  failed: int('How many tries failed.', { default: 0 }),
  rayClusterStatus: clusterStatus,
  observedGeneration: int('The generation of the spec that this status speaks of.', undefined, 'int64'),
  attempts: list(
    object({
      number: int('Counts from 1.'),
      rayClusterName: string('Name of the cluster that the attempt ran on.'),
      submissionId: string('Id of the job in Ray.'),
      startTime: time('When the attempt began.'),
      endTime: time('When it ended.'),
      outcome: string('Succeeded, Stopped, Failed, Suspended, or Lost where nobody can tell; empty while it goes on.'),
      reason: string('Why it ended so, in one word.'),
      headRestarts: int('How often Ray had been restarted within its head pod when the job was to go there.'),
    }),
    'Every try of the job, oldest first; the last 20 are kept.',
    { isAtomic: true },
  ),
};

/** The RayJob kind in v1. */
export const rayJob: Schema = root(
  jobSpec('The wanted job.'),
  object(jobStatusFields, 'What is known of the job.'),
  'A job on Ray, and the cluster that it runs on.',
);

/** What `kubectl get rayjobs` shows. */
export const rayJobColumns: readonly CustomResourceColumnDefinition[] = [
  { name: 'job status', jsonPath: '.status.jobStatus', type: 'string' },
  { name: 'deployment status', jsonPath: '.status.jobDeploymentStatus', type: 'string' },
  { name: 'ray cluster name', jsonPath: '.status.rayClusterName', type: 'string' },
  { name: 'start time', jsonPath: '.status.startTime', type: 'string' },
  { name: 'end time', jsonPath: '.status.endTime', type: 'string' },
  { name: 'age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
];
