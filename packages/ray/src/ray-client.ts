import { RAY_LIMITS } from '@manta/base';
import type { AnswerLedger, ReadingBytes } from './answer-ledger.ts';
import type { RayClock } from './clock.ts';
import type { CommandOutcome } from './command.ts';
import type { RayHead } from './head.ts';
import { HeadCalls } from './head-calls.ts';
import type { JobInfo, JobRequest } from './job-info.ts';
import { deleteJob, getJob, getJobLogs, listJobs, stopJob, submitJob } from './jobs.ts';
import type { RayNode, RayVersion } from './node-info.ts';
import { getVersion, isGcsHealthy, listNodes } from './nodes.ts';
import { hasPackage, putPackage } from './packages.ts';
import { getServe, isProxyHealthy, putServe } from './serve.ts';
import type { ServeDetails } from './serve-details.ts';
import type { RaySend } from './transport.ts';

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
  /** Whether the head holds the package, e.g. `gcs://_ray_pkg_0a1b.zip`. */
  hasPackage(uri: string): Promise<boolean>;
  /** Hands the bytes of a package over. Ray removes a package that no job uses within ten minutes. */
  putPackage(uri: string, bytes: Uint8Array): Promise<void>;
  /** Whether the head's control store is up. */
  isGcsHealthy(): Promise<boolean>;
}

/** What a client needs of the world. */
export interface RayClientOptions {
  readonly clock: RayClock;
  readonly send: RaySend;
  readonly head: Pick<RayHead, 'url' | 'token'>;
  /** How long a question may take, 5 seconds when not given. */
  readonly questionTimeoutMs?: number | undefined;
  /** How long a command may take, 30 seconds when not given. */
  readonly commandTimeoutMs?: number | undefined;
  /** Gives every call up when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes that are being read by all clients of this process; absent: each answer has only its own bound. */
  readonly reading?: ReadingBytes | undefined;
  /** For a client that asks one question again and again: an answer that equals the last one is not parsed. */
  readonly ledger?: AnswerLedger | undefined;
}

/** The bounds of a call where none are given. */
export const DEFAULT_TIMEOUTS = {
  questionTimeoutMs: RAY_LIMITS.questionMs,
  commandTimeoutMs: RAY_LIMITS.commandMs,
} as const;

/** Talks to one head. */
export function createRayClient(options: RayClientOptions): RayClient {
  const calls = new HeadCalls({
    ...options,
    questionTimeoutMs: options.questionTimeoutMs ?? DEFAULT_TIMEOUTS.questionTimeoutMs,
    commandTimeoutMs: options.commandTimeoutMs ?? DEFAULT_TIMEOUTS.commandTimeoutMs,
  });
  return {
    listJobs: () => listJobs(calls),
    getJob: (id) => getJob(calls, id),
    submitJob: (request) => submitJob(calls, request),
    stopJob: (id) => stopJob(calls, id),
    deleteJob: (id) => deleteJob(calls, id),
    getJobLogs: (id) => getJobLogs(calls, id),
    getServe: () => getServe(calls),
    putServe: (config) => putServe(calls, config),
    listNodes: () => listNodes(calls),
    getVersion: () => getVersion(calls),
    isProxyHealthy: (url) => isProxyHealthy(calls, url),
    hasPackage: (uri) => hasPackage(calls, uri),
    putPackage: (uri, bytes) => putPackage(calls, uri, bytes),
    isGcsHealthy: () => isGcsHealthy(calls),
  };
}
