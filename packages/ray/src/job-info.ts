/** The statuses of a Ray job that are known today; a newer Ray may answer with others. */
export const JobStatus = {
  pending: 'PENDING',
  running: 'RUNNING',
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  stopped: 'STOPPED',
} as const;

/** Whether a job with this status has ended for good. */
export function isTerminal(status: string): boolean {
  return status === JobStatus.succeeded || status === JobStatus.failed || status === JobStatus.stopped;
}

/** What a head knows about one job. */
export interface JobInfo {
  /** As the head says it, see {@link JobStatus}; never empty. */
  readonly status: string;
  readonly message: string;
  /** Milliseconds since the epoch; 0 while not known. */
  readonly startTime: number;
  /** Milliseconds since the epoch; 0 while it has not ended. */
  readonly endTime: number;
  readonly submissionId?: string | undefined;
  /** Ray's own id of the driver, once there is one. */
  readonly jobId?: string | undefined;
  readonly entrypoint?: string | undefined;
  readonly errorType?: string | undefined;
  readonly driverExitCode?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly runtimeEnv?: Readonly<Record<string, unknown>> | undefined;
}

/** What is asked of a head to run a job; empty members are left out of the request. */
export interface JobRequest {
  /** Sent as given, not trimmed. */
  readonly entrypoint: string;
  readonly submissionId: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly runtimeEnv?: Readonly<Record<string, unknown>> | undefined;
  readonly entrypointNumCpus?: number | undefined;
  readonly entrypointNumGpus?: number | undefined;
  /** Bytes. */
  readonly entrypointMemory?: number | undefined;
  readonly entrypointResources?: Readonly<Record<string, number>> | undefined;
}
