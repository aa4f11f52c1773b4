import { type RayJob, type StringMap } from '@manta/api';
import { resources } from '@manta/kube';
import { RayCallError } from '@manta/ray';
import { CliError, failedTo, messageOf } from '../cli-error.ts';
import { FIELD_MANAGER } from '../field-manager.ts';
import type { Invocation } from '../invocation.ts';
import { toYaml } from '../output/print-objects.ts';
import { type PackedRuntimeEnv, packRuntimeEnv } from '../pack/pack-runtime-env.ts';
import { connectToHead, type HeadAccess, type HeadConnection, readHeadAccess } from './connect-to-head.ts';
import { readSubmission, type Submission } from './job-submission.ts';
import { followOnHead, submitToHead } from './run-on-head.ts';
import { waitForObject } from './wait-for-object.ts';

/** Flags of `job submit`; all but the first few are those of `ray job submit`. */
export interface JobSubmitFlags {
  readonly filename?: string;
  readonly name?: string;
  readonly address?: string;
  readonly submissionId?: string;
  readonly runtimeEnv?: string;
  readonly runtimeEnvJson?: string;
  readonly workingDir?: string;
  readonly headers?: string;
  readonly verify?: string;
  readonly metadataJson?: string;
  readonly logStyle?: string;
  readonly logColor?: string;
  readonly entrypointNumCpus?: number;
  readonly entrypointNumGpus?: number;
  readonly entrypointMemory?: number;
  readonly entrypointResources?: string;
  readonly wait: boolean;
  readonly verbose?: boolean;
  readonly rayVersion: string;
  readonly image: string;
  readonly headCpu: string;
  readonly headMemory: string;
  readonly headGpu: string;
  readonly headNodeSelectors?: StringMap;
  readonly workerReplicas: number;
  readonly workerCpu: string;
  readonly workerMemory: string;
  readonly workerGpu: string;
  readonly workerNodeSelectors?: StringMap;
  readonly ttlSecondsAfterFinished?: number;
  readonly dryRun?: boolean;
}

const CLUSTER_READY_MS = 120_000;

/**
 * `job submit … -- ENTRYPOINT`: creates a RayJob in InteractiveMode, uploads the working directory when the head is up, submits the job
 * and prints its output. Needs no Python: it speaks Ray's HTTP API itself. Fails when the job fails.
 */
export async function jobSubmit(call: Invocation, entrypoint: readonly string[], flags: JobSubmitFlags): Promise<void> {
  const read = await readSubmission(entrypoint, flags, await call.namespace());
  const access = await readHeadAccess(flags);
  if (flags.submissionId === undefined) call.print(`Generated submission ID for Ray job: ${read.id}`);
  if (flags.dryRun === true) {
    call.print(`${toYaml(read.rayJob)}\n`);
    return;
  }
  // Before anything is created: a directory that cannot be sent must not cost a cluster.
  const packed = await packRuntimeEnv(read.runtimeEnv, read.workingDir);
  for (const { path, skipped } of packed.packages) for (const one of skipped) call.say(`${path}: ${one} is left out`);
  const submission = { ...read, name: await create(call, read) };
  const { name, namespace, id } = submission;
  call.print(`Submitted RayJob ${name}.`);
  const clusterName = await namedCluster(call, submission);
  const head = await submitTo(call, submission, clusterName, packed, access, flags);
  try {
    if (flags.wait) await followOnHead(call, head, id);
  } catch (error) {
    if (call.world.signal.aborted)
      call.say(`Job ${id} keeps running. To wait for its end: kubectl ray wait rayjob/${name} -n ${namespace}`);
    throw error;
  } finally {
    await head.close();
  }
  if (flags.wait) await waitForEnd(call, submission);
  else call.print(`Ray job submitted with ID ${id}`);
}

/** Resolves with the name that the RayJob got. */
async function create(call: Invocation, { name, rayJob }: Submission): Promise<string> {
  const client = await call.client();
  const { metadata } = await client
    .create(resources.rayJobs, rayJob, { fieldManager: FIELD_MANAGER })
    .catch((error: unknown) => {
      throw failedTo('Error when creating RayJob CR', error);
    });
  return metadata?.name ?? name;
}

/** Waits until the operator has named the job's cluster. The RayJob stays when that takes long: it may be queued. */
async function namedCluster(call: Invocation, { namespace, name }: Submission): Promise<string> {
  const { status } = await waitForObject(
    call,
    resources.rayJobs,
    { namespace, name },
    {
      isDone: (job) => (job.status?.rayClusterName ?? '') !== '' || isFailedForGood(job.status),
      timeoutMs: CLUSTER_READY_MS,
      timeoutMessage: `RayJob ${name} got no Ray cluster within ${CLUSTER_READY_MS / 1000} s and is left in place. Is an operator running? Is the job queued?`,
    },
  ).catch((error: unknown) => {
    if (call.world.signal.aborted) sayLeftBehind(call, namespace, name);
    throw error;
  });
  if (isFailedForGood(status))
    throw new CliError(`RayJob ${name} failed: ${status?.message || status?.reason || 'no reason is recorded'}`);
  return status?.rayClusterName ?? '';
}

/**
 * Waits for the job's cluster and submits the job to its head. A failure before Ray has taken the job deletes the RayJob, whose cluster
 * would otherwise wait for a job without end.
 */
async function submitTo(
  call: Invocation,
  submission: Submission,
  clusterName: string,
  packed: PackedRuntimeEnv,
  access: HeadAccess,
  flags: JobSubmitFlags,
): Promise<HeadConnection> {
  const { namespace, name } = submission;
  let head: HeadConnection | undefined;
  try {
    await readyCluster(call, namespace, clusterName);
    head = await connectToHead(call, namespace, clusterName, access);
    await submitToHead(call, head, submission, packed, flags);
    return head;
  } catch (error) {
    await head?.close();
    if (call.world.signal.aborted) sayLeftBehind(call, namespace, name);
    else if (!mayHaveSubmitted(error)) await removeJob(call, namespace, name);
    throw error;
  }
}

/** Whether Ray may run the job although the call failed, e.g. because the connection was lost before its answer. */
function mayHaveSubmitted(error: unknown): boolean {
  const cause = error instanceof CliError ? error.cause : error;
  return cause instanceof RayCallError && cause.method === 'POST' && !cause.didNothing;
}

function sayLeftBehind(call: Invocation, namespace: string, name: string): void {
  call.say(`RayJob ${name} is left without a job. To delete it: kubectl ray delete rayjob/${name} -n ${namespace}`);
}

async function readyCluster(call: Invocation, namespace: string, name: string): Promise<void> {
  call.print('Waiting for RayCluster');
  call.print(`Checking Cluster Status for cluster ${name}...`);
  await waitForObject(
    call,
    resources.rayClusters,
    { namespace, name },
    {
      isDone: ({ status }) => status?.state === 'ready',
      timeoutMs: CLUSTER_READY_MS,
      timeoutMessage: 'Timed out waiting for cluster',
      // The operator names a cluster before it creates it.
      mayAppear: true,
      onChange: () => call.print('Cluster is not ready'),
    },
  );
}

async function removeJob(call: Invocation, namespace: string, name: string): Promise<void> {
  call.print('Deleting RayJob...');
  const client = await call.client();
  try {
    await client.delete(resources.rayJobs, { namespace, name });
    call.print(`Cleaned Up RayJob: ${name}`);
  } catch (error) {
    call.say(`Failed to clean up Ray job: ${messageOf(error)}`);
  }
}

/** Waits until the operator has recorded how the job ended. */
async function waitForEnd(call: Invocation, { namespace, name }: Submission): Promise<void> {
  call.print('Waiting for job to finish...');
  const show = ({ status }: RayJob) =>
    call.print(`Current status: ${status?.jobStatus ?? ''} (RayJob: ${name}, JobID: ${status?.jobId || 'unknown'})`);
  const job = await waitForObject(
    call,
    resources.rayJobs,
    { namespace, name },
    {
      isDone: ({ status }) => /^(SUCCEEDED|STOPPED|FAILED)$/.test(status?.jobStatus ?? '') || isFailedForGood(status),
      timeoutMessage: '',
      onChange: show,
    },
  );
  show(job);
  const { jobStatus = '', jobId = 'unknown', message, reason } = job.status ?? {};
  if (jobStatus === 'SUCCEEDED' || jobStatus === 'STOPPED') {
    call.print(`Job ${jobId} finished with status ${jobStatus}.`);
    return;
  }
  throw new CliError(`job ${jobId} failed: ${message || reason || `status ${jobStatus}`}`);
}

function isFailedForGood(status: RayJob['status']): boolean {
  return status?.jobDeploymentStatus === 'Failed' || status?.jobDeploymentStatus === 'ValidationFailed';
}
