import { followJob, RayCallError, wait } from '@manta/ray';
import { CliError, ExitCode, failedTo } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { megabytes } from '../pack/pack-directory.ts';
import type { PackedRuntimeEnv } from '../pack/pack-runtime-env.ts';
import type { HeadConnection } from './connect-to-head.ts';
import type { JobSubmitFlags } from './job-submit.ts';
import type { Submission } from './job-submission.ts';

const ANSWER_MS = 60_000;
const RETRY_MS = 1_000;

/** Uploads what the job needs, and submits it. */
export async function submitToHead(
  call: Invocation,
  { client }: HeadConnection,
  submission: Submission,
  { runtimeEnv, packages }: PackedRuntimeEnv,
  flags: JobSubmitFlags,
): Promise<void> {
  await untilHeadAnswers(call, client);
  for (const { path, uri, bytes, fileCount } of packages) {
    try {
      if (await client.hasPackage(uri)) continue;
      call.print(`Uploading ${path}: ${fileCount} files, ${megabytes(bytes.length)}`);
      await client.putPackage(uri, bytes);
    } catch (error) {
      throw failedTo(`${path} could not be uploaded to Ray`, error);
    }
  }
  const { entrypointNumCpus, entrypointNumGpus, entrypointMemory } = flags;
  const { id, entrypoint, metadata, entrypointResources } = submission;
  await client
    .submitJob({
      submissionId: id,
      entrypoint,
      metadata,
      runtimeEnv,
      entrypointNumCpus,
      entrypointNumGpus,
      entrypointMemory,
      entrypointResources,
    })
    .catch((error: unknown) => {
      throw failedTo('Error occurred with Ray job submit', error);
    });
  call.print(`Job '${id}' submitted successfully`);
}

/** Prints a job's output until the job ends. */
export async function followOnHead(call: Invocation, head: HeadConnection, id: string): Promise<void> {
  const { clock, stdout, signal } = call.world;
  const end = await followJob(id, { ...head, clock, signal, print: (text) => void stdout.write(text) });
  if (end.kind === 'silent') throw failedTo('the Ray head no longer answers', end.error);
  if (end.kind === 'lost')
    throw new CliError(`the Ray head no longer knows job ${id}: the head was replaced, or the job was deleted`);
}

/** Waits until the dashboard answers: a cluster is ready a little before its dashboard is. */
export async function untilHeadAnswers(call: Invocation, client: HeadConnection['client']): Promise<void> {
  const { clock, signal } = call.world;
  const since = clock.now();
  for (;;) {
    try {
      await client.getVersion();
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RayCallError && (error.status === 401 || error.status === 403))
        throw new CliError(
          `Ray refused the request: ${error.message}. Set RAY_AUTH_TOKEN to a token that the cluster takes, or use --headers.`,
          ExitCode.NotAllowed,
          { cause: error },
        );
      if (!(error instanceof RayCallError) || clock.now() - since > ANSWER_MS)
        throw failedTo('Timed out waiting for port forwarding', error);
      await wait(clock, RETRY_MS, signal);
    }
  }
}
