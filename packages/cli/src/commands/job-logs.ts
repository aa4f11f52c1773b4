import { resources } from '@manta/kube';
import { CliError, ExitCode } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { explainRead } from '../resolve-target.ts';
import { connectToHead, type HeadAccess, readHeadAccess } from './connect-to-head.ts';
import { followRayJob } from './follow-rayjob.ts';

export interface JobLogsFlags {
  readonly follow?: boolean;
  readonly address?: string;
}

/** `job logs NAME`: what the job has printed; with `-f` until the job ends, with the job's outcome as exit code. */
export async function jobLogs(call: Invocation, name: string, flags: JobLogsFlags): Promise<void> {
  const access = await readHeadAccess(flags);
  const namespace = await call.namespace();
  const { jobId, clusterName } = await startedJob(call, namespace, name, flags.follow === true);
  if (flags.follow === true) {
    await followRayJob(call, { namespace, name, access });
    return;
  }
  const head = await connectToHead(call, namespace, clusterName, access, () => undefined);
  try {
    const logs = await head.client.getJobLogs(jobId);
    if (logs === undefined)
      throw new CliError(`the Ray head no longer knows job ${jobId} of rayjob/${name}: the head was replaced.`);
    call.world.stdout.write(logs);
  } finally {
    await head.close();
  }
}

/** `job stop NAME`: asks Ray to stop the job. The operator then records it as stopped. */
export async function jobStop(call: Invocation, name: string, flags: { readonly address?: string }): Promise<void> {
  const access: HeadAccess = await readHeadAccess(flags);
  const namespace = await call.namespace();
  const { jobId, clusterName } = await startedJob(call, namespace, name, false);
  const head = await connectToHead(call, namespace, clusterName, access, () => undefined);
  try {
    const { wasRunning } = await head.client.stopJob(jobId);
    call.print(
      wasRunning ? `Stopped rayjob ${name} (job ${jobId})` : `rayjob ${name} (job ${jobId}) has already ended`,
    );
  } finally {
    await head.close();
  }
}

interface StartedJob {
  readonly jobId: string;
  readonly clusterName: string;
}

/** Rejects with exit code 3 when the job has not reached Ray, unless it may still. */
async function startedJob(
  call: Invocation,
  namespace: string,
  name: string,
  mayStartLater: boolean,
): Promise<StartedJob> {
  const client = await call.client();
  const { status } = await client
    .get(resources.rayJobs, { namespace, name })
    .catch(explainRead(client, namespace, { kind: 'rayjob', name }));
  const { jobId = '', rayClusterName: clusterName = '', jobStatus = '', jobDeploymentStatus = '' } = status ?? {};
  if (mayStartLater || (jobId !== '' && clusterName !== '' && jobStatus !== '')) return { jobId, clusterName };
  throw new CliError(
    `rayjob/${name} has not started: its status is ${jobDeploymentStatus || 'empty'}. ` +
      `kubectl ray why rayjob/${name} -n ${namespace} names the cause; kubectl ray delete rayjob/${name} -n ${namespace} removes it.`,
    ExitCode.NotReady,
  );
}
