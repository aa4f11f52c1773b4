import type { RayJob, RayJobStatus } from '@manta/api';
import { isNotFound, resources } from '@manta/kube';
import { followJob } from '@manta/ray';
import { CliError, messageOf } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { openProgressLine, type ProgressLine } from '../live/progress-line.ts';
import { connectToHead, type HeadAccess } from './connect-to-head.ts';
import { waitForObject } from './wait-for-object.ts';

/** Names a RayJob, and how its head is reached. */
export interface FollowedJob {
  readonly namespace: string;
  readonly name: string;
  readonly access: HeadAccess;
}

/** After this long without a start, the progress line names the command that finds the cause. */
const PATIENCE_MS = 20_000;

/**
 * Prints the output of every attempt of a RayJob until the operator has recorded how the job ended. Rejects when it failed, and with the
 * signal's reason on Ctrl-C. A head that is lost in the middle of an attempt is reported; the operator decides whether to retry.
 */
export async function followRayJob(call: Invocation, followed: FollowedJob): Promise<void> {
  const { namespace, name } = followed;
  const progress = openProgressLine(call.world);
  const shown = new Set<string>();
  try {
    for (;;) {
      const { status } = await untilNews(call, followed, shown, progress);
      progress.clear();
      const jobId = status?.jobId ?? '';
      if (hasStarted(status) && !shown.has(jobId)) {
        if (shown.size > 0) call.say(`Attempt ${shown.size + 1}:`);
        shown.add(jobId);
        await printOutput(call, followed, status);
        continue;
      }
      reportEnd(call, `rayjob/${name} in namespace ${namespace}`, status);
      return;
    }
  } finally {
    progress.clear();
  }
}

/** Resolves when an attempt has output that was not shown yet, or when the job has ended. */
async function untilNews(
  call: Invocation,
  { namespace, name }: FollowedJob,
  shown: ReadonlySet<string>,
  progress: ProgressLine,
): Promise<RayJob> {
  const { clock } = call.world;
  const since = clock.now();
  const hint = `; kubectl ray why rayjob/${name} -n ${namespace} names the cause`;
  let described = '';
  const show = () => progress.update(described + (clock.now() - since >= PATIENCE_MS ? hint : ''));
  const cancel = clock.setTimer(PATIENCE_MS, show);
  try {
    return await waitForObject(
      call,
      resources.rayJobs,
      { namespace, name },
      {
        isDone: ({ status }) => hasEnded(status) || (hasStarted(status) && !shown.has(status?.jobId ?? '')),
        timeoutMessage: '',
        onChange: (job) => {
          described = stageOf(job, shown.size > 0);
          show();
        },
      },
    );
  } finally {
    cancel();
  }
}

/** What a RayJob waits for, in one line. */
function stageOf({ metadata, spec, status }: RayJob, hasRun: boolean): string {
  const label = `rayjob/${metadata?.name}`;
  if (spec?.suspend === true) return `${label} is suspended`;
  const stage = status?.jobDeploymentStatus ?? '';
  if (stage === '') return `${label}: waiting for the operator`;
  if (stage === 'Retrying') return `${label}: the operator retries the job on a new cluster`;
  if (hasRun && stage === 'Running') return `${label}: waiting for the operator to record the outcome`;
  const { desiredWorkerReplicas = 0, readyWorkerReplicas = 0, state } = status?.rayClusterStatus ?? {};
  const workers = desiredWorkerReplicas > 0 ? `, ${readyWorkerReplicas} of ${desiredWorkerReplicas} workers ready` : '';
  return `${label}: ${stage}, Ray cluster ${status?.rayClusterName || 'not created yet'} ${state === 'ready' ? 'is ready' : 'starts'}${workers}`;
}

function hasStarted(status: RayJobStatus | undefined): status is RayJobStatus {
  return (status?.jobStatus ?? '') !== '' && (status?.jobId ?? '') !== '';
}

function hasEnded(status: RayJobStatus | undefined): boolean {
  return /^(Complete|Failed|ValidationFailed|Suspended)$/.test(status?.jobDeploymentStatus ?? '');
}

async function printOutput(call: Invocation, { namespace, access }: FollowedJob, status: RayJobStatus): Promise<void> {
  const { rayClusterName = '', jobId = '' } = status;
  const { clock, stdout, signal } = call.world;
  try {
    const head = await connectToHead(call, namespace, rayClusterName, access, () => undefined);
    try {
      const print = (text: string) => void stdout.write(text);
      const end = await followJob(jobId, { ...head, clock, signal, print });
      if (end.kind === 'lost') call.say(`The Ray head no longer knows job ${jobId}: the head was replaced.`);
      if (end.kind === 'silent') call.say(`The Ray head no longer answers: ${messageOf(end.error)}`);
    } finally {
      await head.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof CliError ? error.cause : error;
    if (!isNotFound(cause)) throw error;
    call.say(`The output of job ${jobId} no longer exists: its Ray cluster ${rayClusterName} was deleted.`);
  }
}

/** Returns for a job that succeeded or was stopped; throws for any other end. */
function reportEnd(call: Invocation, label: string, status: RayJobStatus | undefined): void {
  const { jobDeploymentStatus = '', jobStatus = '', message, reason } = status ?? {};
  if (jobDeploymentStatus === 'Complete' && jobStatus !== 'FAILED') {
    call.say(`${label} ended with ${jobStatus}.`);
    return;
  }
  if (jobDeploymentStatus === 'Suspended') throw new CliError(`${label} was suspended.`);
  const detail = lastLineOf(message ?? '') || reason || 'no reason is recorded';
  throw new CliError(`${label} failed${reason === undefined ? '' : ` (${reason})`}: ${detail}`);
}

/** Ray's messages end with a traceback that the output has already shown; its last line names the error. */
function lastLineOf(message: string): string {
  const lines = message.trim().split('\n');
  return lines.at(-1)?.trim() ?? '';
}
