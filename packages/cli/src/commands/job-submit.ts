import { type RayJob, type StringMap } from '@manta/api';
import { resources } from '@manta/kube';
import { CliError, failedTo, messageOf } from '../cli-error.ts';
import { FIELD_MANAGER } from '../field-manager.ts';
import type { Invocation } from '../invocation.ts';
import { toYaml } from '../output/print-objects.ts';
import { connectToHead } from './connect-to-head.ts';
import { readSubmission, type Submission } from './job-submission.ts';
import { runOnHead } from './run-on-head.ts';
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
  const submission = await readSubmission(entrypoint, flags, await call.namespace());
  if (flags.submissionId === undefined) call.print(`Generated submission ID for Ray job: ${submission.id}`);
  if (flags.dryRun === true) {
    call.print(`${toYaml(submission.rayJob)}\n`);
    return;
  }
  await create(call, submission);
  call.print(`Submitted RayJob ${submission.name}.`);
  const clusterName = await readyCluster(call, submission);
  const head = await connectToHead(call, submission, clusterName, flags);
  try {
    await runOnHead(call, head, submission, flags);
  } finally {
    await head.close();
  }
  if (!flags.wait) {
    call.print(`Ray job submitted with ID ${submission.id}`);
    return;
  }
  await waitForEnd(call, submission);
}

async function create(call: Invocation, { namespace, name, rayJob, isFromFile }: Submission): Promise<void> {
  const client = await call.client();
  if (isFromFile) {
    await client.create(resources.rayJobs, rayJob, { fieldManager: FIELD_MANAGER }).catch((error: unknown) => {
      throw failedTo('Error when creating RayJob CR', error);
    });
    return;
  }
  const patch = { type: 'apply', body: rayJob, fieldManager: FIELD_MANAGER, force: false } as const;
  await client.patch(resources.rayJobs, { namespace, name }, patch).catch((error: unknown) => {
    throw failedTo('Failed to apply generated YAML', error);
  });
}

/** Waits for the job's cluster. One that does not get ready in time takes its RayJob with it, so that nothing is left behind. */
async function readyCluster(call: Invocation, { namespace, name }: Submission): Promise<string> {
  const named = await waitForObject(
    call,
    resources.rayJobs,
    { namespace, name },
    {
      isDone: ({ status }) => (status?.rayClusterName ?? '') !== '',
      timeoutMs: CLUSTER_READY_MS,
      timeoutMessage: `RayJob ${name} got no Ray cluster within ${CLUSTER_READY_MS / 1000} s. Is an operator running?`,
    },
  );
  const clusterName = named.status?.rayClusterName ?? '';
  call.print('Waiting for RayCluster');
  call.print(`Checking Cluster Status for cluster ${clusterName}...`);
  try {
    await waitForObject(
      call,
      resources.rayClusters,
      { namespace, name: clusterName },
      {
        isDone: ({ status }) => status?.state === 'ready',
        timeoutMs: CLUSTER_READY_MS,
        timeoutMessage: 'Timed out waiting for cluster',
        // The operator names a cluster before it creates it.
        mayAppear: true,
        onChange: () => call.print('Cluster is not ready'),
      },
    );
  } catch (error) {
    call.world.signal.throwIfAborted();
    await removeJob(call, namespace, name);
    throw error;
  }
  return clusterName;
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
