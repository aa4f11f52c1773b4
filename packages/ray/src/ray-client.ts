import type { CommandOutcome } from './command.ts';
import type { JobInfo, JobRequest } from './job-info.ts';
import type { RayNode, RayVersion } from './node-info.ts';
import type { ServeDetails } from './serve-details.ts';

/** Ray's HTTP API on one head: one call, one request, no retries, every failure a `RayCallError`. */
export interface RayClient {
  listJobs(): Promise<readonly JobInfo[]>;
  /** `undefined` when the head knows no such job. */
  getJob(id: string): Promise<JobInfo | undefined>;
  submitJob(request: JobRequest): Promise<CommandOutcome & { readonly kind: 'submit' }>;
  stopJob(id: string): Promise<CommandOutcome & { readonly kind: 'stop' }>;
  deleteJob(id: string): Promise<CommandOutcome & { readonly kind: 'delete' }>;
  /** All that the job has printed so far; `undefined` when the head knows no such job. */
  getJobLogs(id: string): Promise<string | undefined>;
  getServe(): Promise<ServeDetails>;
  putServe(config: Readonly<Record<string, unknown>>): Promise<CommandOutcome & { readonly kind: 'put-serve' }>;
  listNodes(): Promise<readonly RayNode[]>;
  getVersion(): Promise<RayVersion>;
  /** Whether Serve's proxy at `url` answers `/-/healthz` with 200. */
  isProxyHealthy(url: string): Promise<boolean>;
  /** Whether the head's control store is up. */
  isGcsHealthy(): Promise<boolean>;
}
