/** RayJob v1: an entrypoint, and the cluster that it runs on. */
import type { PodTemplateSpec } from './core.gen.ts';
import type { ObjectMeta, Time } from './meta.ts';
import type { RayClusterSpec, RayClusterStatus, StringMap } from './raycluster.ts';

/** A job on a Ray cluster of its own, or on one that exists. */
export interface RayJob {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: RayJobSpec;
  readonly status?: RayJobStatus;
}

/** Who hands the job to Ray: a Kubernetes Job, the operator over HTTP, the user, or a container in the head pod. */
export const JobSubmissionMode = {
  K8sJob: 'K8sJobMode',
  HTTP: 'HTTPMode',
  Interactive: 'InteractiveMode',
  Sidecar: 'SidecarMode',
} as const;
export type JobSubmissionMode = (typeof JobSubmissionMode)[keyof typeof JobSubmissionMode];

/** What a user wants to run, and what is cleaned up afterwards. */
export interface RayJobSpec {
  readonly rayClusterSpec?: RayClusterSpec;
  /** Names an existing cluster under key `ray.io/cluster`; an empty map is as good as none. */
  readonly clusterSelector?: StringMap;
  readonly entrypoint?: string;
  readonly submissionMode?: JobSubmissionMode;
  readonly jobId?: string;
  readonly metadata?: StringMap;
  readonly runtimeEnvYAML?: string;
  readonly entrypointNumCpus?: number;
  readonly entrypointNumGpus?: number;
  /** JSON text. */
  readonly entrypointResources?: string;
  readonly submitterPodTemplate?: PodTemplateSpec;
  readonly submitterConfig?: SubmitterConfig;
  /** How often the whole job is tried again, each time on a new cluster. */
  readonly backoffLimit?: number;
  readonly activeDeadlineSeconds?: number;
  readonly preRunningDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly shutdownAfterJobFinishes?: boolean;
  readonly suspend?: boolean;
  readonly managedBy?: string;
  readonly deletionStrategy?: DeletionStrategy;
}

/** The submitter's own retries. */
export interface SubmitterConfig {
  readonly backoffLimit?: number;
}

/** What is deleted when a job has ended. */
export const DeletionPolicyType = {
  DeleteCluster: 'DeleteCluster',
  DeleteWorkers: 'DeleteWorkers',
  DeleteSelf: 'DeleteSelf',
  DeleteNone: 'DeleteNone',
} as const;
export type DeletionPolicyType = (typeof DeletionPolicyType)[keyof typeof DeletionPolicyType];

/** Either both legacy policies, or rules. */
export interface DeletionStrategy {
  readonly onSuccess?: DeletionPolicy;
  readonly onFailure?: DeletionPolicy;
  readonly deletionRules?: readonly DeletionRule[];
}

/** One legacy policy. */
export interface DeletionPolicy {
  readonly policy?: DeletionPolicyType;
}

/** What to delete, and when. */
export interface DeletionRule {
  readonly policy: DeletionPolicyType;
  readonly condition: DeletionCondition;
}

/** Exactly one of the two statuses, and how long it must have lasted. */
export interface DeletionCondition {
  readonly jobStatus?: RayJobState;
  readonly jobDeploymentStatus?: JobDeploymentStatus;
  readonly ttlSeconds?: number;
}

/** What Ray says about the job; empty before Ray knows it. */
export const RayJobState = {
  New: '',
  Pending: 'PENDING',
  Running: 'RUNNING',
  Stopped: 'STOPPED',
  Succeeded: 'SUCCEEDED',
  Failed: 'FAILED',
} as const;
export type RayJobState = (typeof RayJobState)[keyof typeof RayJobState];

/** Where the operator is with the job; empty before its first look. */
export const JobDeploymentStatus = {
  New: '',
  Initializing: 'Initializing',
  Running: 'Running',
  Complete: 'Complete',
  Failed: 'Failed',
  ValidationFailed: 'ValidationFailed',
  Suspending: 'Suspending',
  Suspended: 'Suspended',
  Retrying: 'Retrying',
  Waiting: 'Waiting',
} as const;
export type JobDeploymentStatus = (typeof JobDeploymentStatus)[keyof typeof JobDeploymentStatus];

/** Why a job failed. */
export const JobFailedReason = {
  SubmissionFailed: 'SubmissionFailed',
  DeadlineExceeded: 'DeadlineExceeded',
  PreRunningDeadlineExceeded: 'PreRunningDeadlineExceeded',
  AppFailed: 'AppFailed',
  JobDeploymentStatusTransitionGracePeriodExceeded: 'JobDeploymentStatusTransitionGracePeriodExceeded',
  JobStatusCheckTimeoutExceeded: 'JobStatusCheckTimeoutExceeded',
  ValidationFailed: 'ValidationFailed',
} as const;
export type JobFailedReason = (typeof JobFailedReason)[keyof typeof JobFailedReason];

/** What the operator has seen of a job. */
export interface RayJobStatus {
  readonly jobId?: string;
  readonly rayClusterName?: string;
  /** Host and port, without a scheme. */
  readonly dashboardURL?: string;
  readonly jobStatus?: RayJobState;
  readonly jobDeploymentStatus?: JobDeploymentStatus;
  readonly reason?: JobFailedReason;
  readonly message?: string;
  readonly startTime?: Time;
  readonly endTime?: Time;
  readonly jobStatusCheckFailureStartTime?: Time;
  readonly rayJobInfo?: RayJobStatusInfo;
  readonly succeeded?: number;
  readonly failed?: number;
  /** A copy, for the reader's convenience. */
  readonly rayClusterStatus?: RayClusterStatus;
  readonly observedGeneration?: number;
  /** Ours alone: every try of the job, oldest first, as many as are worth keeping. */
  readonly attempts?: readonly RayJobAttempt[];
}

/** One try of a job: what it ran on, as what, and how it ended. */
export interface RayJobAttempt {
  readonly number: number;
  readonly rayClusterName: string;
  readonly submissionId: string;
  readonly startTime: Time;
  readonly endTime?: Time;
  /** Lost: nobody can tell how it ended. */
  readonly outcome?: 'Succeeded' | 'Stopped' | 'Failed' | 'Suspended' | 'Lost';
  readonly reason?: string;
  /** How often Ray had been restarted within its head pod when the job was to go there; absent where never. */
  readonly headRestarts?: number;
}

/** When the job ran, by Ray's own clock. */
export interface RayJobStatusInfo {
  readonly startTime?: Time;
  readonly endTime?: Time;
}
