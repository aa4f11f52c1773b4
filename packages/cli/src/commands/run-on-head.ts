import { readFile, stat } from 'node:fs/promises';
import { followJob, RayCallError, wait } from '@manta/ray';
import { parse } from 'yaml';
import { CliError, failedTo } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { megabytes, packDirectory } from '../pack/pack-directory.ts';
import type { HeadConnection } from './connect-to-head.ts';
import type { JobSubmitFlags } from './job-submit.ts';
import type { Submission } from './job-submission.ts';

const ANSWER_MS = 60_000;
const RETRY_MS = 1_000;

/** Uploads what the job needs, submits it and prints its output until it ends; with `--no-wait` returns once it is submitted. */
export async function runOnHead(
  call: Invocation,
  head: HeadConnection,
  submission: Submission,
  flags: JobSubmitFlags,
): Promise<void> {
  await untilItAnswers(call, head);
  const runtimeEnv = await uploadedRuntimeEnv(call, head, submission);
  const { entrypointNumCpus, entrypointNumGpus, entrypointMemory } = flags;
  const { id, entrypoint, metadata, entrypointResources } = submission;
  await head.client
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
  if (!flags.wait) return;
  const { clock, stdout } = call.world;
  const end = await followJob(id, { ...head, clock, print: (text) => void stdout.write(text) });
  if (end.kind === 'silent') throw failedTo('the Ray head does not answer any more', end.error);
  if (end.kind === 'lost')
    throw new CliError(`the Ray head does not know job ${id} any more: its head was replaced, or the job deleted`);
}

/** A cluster is ready a little before its dashboard is. */
async function untilItAnswers(call: Invocation, { client }: HeadConnection): Promise<void> {
  const { clock, signal } = call.world;
  const since = clock.now();
  for (;;) {
    try {
      await client.getVersion();
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RayCallError) || clock.now() - since > ANSWER_MS)
        throw failedTo('Timed out waiting for port forwarding', error);
      await wait(clock, RETRY_MS);
    }
  }
}

/** The runtime environment with everything of this machine in it replaced by what the head can read. */
async function uploadedRuntimeEnv(
  call: Invocation,
  head: HeadConnection,
  { runtimeEnv, workingDir }: Submission,
): Promise<Readonly<Record<string, unknown>>> {
  const modules = runtimeEnv['py_modules'];
  return {
    ...runtimeEnv,
    working_dir: await uploaded(call, head, workingDir),
    ...(Array.isArray(modules) && {
      py_modules: await Promise.all(
        modules.map((path: unknown) => (typeof path === 'string' ? uploaded(call, head, path) : path)),
      ),
    }),
    ...(await inlined(runtimeEnv, 'pip', (text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#')),
    )),
    ...(await inlined(runtimeEnv, 'uv', (text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#')),
    )),
    ...(await inlined(runtimeEnv, 'conda', (text): unknown => parse(text))),
  };
}

/** A local directory is packed and uploaded; a URI stays as it is. */
async function uploaded(call: Invocation, { client }: HeadConnection, path: string): Promise<string> {
  if (/^[a-z0-9+]+:\/\//i.test(path)) return path;
  const { uri, bytes, fileCount, skipped } = await packDirectory(path);
  for (const one of skipped) call.say(`${path}: ${one} is left out`);
  if (await client.hasPackage(uri)) return uri;
  call.print(`Uploading ${path}: ${fileCount} files, ${megabytes(bytes.length)}`);
  await client.putPackage(uri, bytes).catch((error: unknown) => {
    throw failedTo(`${path} could not be uploaded to Ray`, error);
  });
  return uri;
}

/** Ray's own client reads files that `pip`, `uv` and `conda` name; so does this one. */
async function inlined(
  runtimeEnv: Readonly<Record<string, unknown>>,
  key: 'pip' | 'uv' | 'conda',
  read: (text: string) => unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const value = runtimeEnv[key];
  if (typeof value !== 'string') return {};
  const isFile = await stat(value).then(
    (info) => info.isFile(),
    () => false,
  );
  return isFile ? { [key]: read(await readFile(value, 'utf8')) } : {};
}
