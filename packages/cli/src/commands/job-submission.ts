import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { JobSubmissionMode, type RayJob } from '@manta/api';
import { type Document, parse, parseDocument } from 'yaml';
import { checkQuantity } from '../build/check-config.ts';
import { imageFor } from '../build/cluster-config.ts';
import { rayClusterSpecOf } from '../build/ray-cluster.ts';
import { messageOf, usageError } from '../cli-error.ts';
import type { JobSubmitFlags } from './job-submit.ts';

/** What is submitted, and as what. */
export interface Submission {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly rayJob: RayJob;
  readonly entrypoint: string;
  /** Of the runtime environment: a directory of this machine, or a URI that Ray fetches itself. */
  readonly workingDir: string;
  readonly runtimeEnv: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly entrypointResources: Readonly<Record<string, number>>;
}

/** Checks the flags and reads the files that they name. */
export async function readSubmission(
  words: readonly string[],
  flags: JobSubmitFlags,
  namespace: string,
): Promise<Submission> {
  if (words.length === 0) throw usageError('no entrypoint is given. Put it behind --, e.g. -- python my_script.py');
  const ttl = flags.ttlSecondsAfterFinished;
  if (ttl !== undefined && ttl < 0) throw usageError('--ttl-seconds-after-finished must be greater than or equal to 0');
  if (flags.address?.trim() === '') throw usageError('--address was provided but is empty');
  for (const [flag, value] of quantities(flags)) checkQuantity(value, flag);
  const id = flags.submissionId ?? newSubmissionId();
  const entrypoint = commandLine(words);
  const fromFile = flags.filename === undefined ? undefined : await readJobFile(flags.filename);
  if (fromFile === undefined && (flags.name ?? '').trim() === '')
    throw usageError('Must set either yaml file (--filename) or set Ray job name (--name)');
  const runtimeEnv = await readRuntimeEnv(flags, fromFile);
  const workingDir = flags.workingDir ?? textOf(runtimeEnv['working_dir']);
  if (workingDir === undefined || workingDir === '')
    throw usageError('working directory is required, use --working-dir or set with runtime env');
  const rayJob =
    fromFile === undefined
      ? generatedJob(flags, namespace, id, entrypoint)
      : jobFromFile(fromFile, flags, namespace, id);
  return {
    id,
    namespace: rayJob.metadata?.namespace ?? namespace,
    name: rayJob.metadata?.name ?? '',
    rayJob,
    entrypoint,
    workingDir,
    runtimeEnv,
    metadata: textMap(flags.metadataJson, '--metadata-json'),
    entrypointResources: numberMap(flags.entrypointResources, '--entrypoint-resources'),
  };
}

function quantities(flags: JobSubmitFlags): readonly (readonly [string, string])[] {
  return [
    ['head-cpu', flags.headCpu],
    ['head-gpu', flags.headGpu],
    ['head-memory', flags.headMemory],
    ['worker-cpu', flags.workerCpu],
    ['worker-gpu', flags.workerGpu],
    ['worker-memory', flags.workerMemory],
  ];
}

/**
 * The words as one command line for the shell that Ray runs it in. A single word is a command line already; of several, those with spaces or
 * quotes are quoted, so that `-- python -c 'print(1, 2)'` runs as it would here. Variables stay for the shell on the head.
 */
export function commandLine(words: readonly string[]): string {
  const [only = ''] = words;
  if (words.length === 1) return only;
  return words.map((word) => (/^$|[\s'"]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : word)).join(' ');
}

const ID_CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ123456789';

/** Like Ray's own ids: no characters that are easily confused. */
export function newSubmissionId(): string {
  return `raysubmit_${Array.from({ length: 16 }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join('')}`;
}

async function readText(path: string, what: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw usageError(
      `${what} ${isMissing ? 'does not exist' : 'cannot be read'}. Failed with: ${messageOf(error)}`,
      error,
    );
  });
}

async function readJobFile(path: string): Promise<RayJob> {
  const document = parseDocument(await readText(path, 'Ray Job file'));
  const [problem] = document.errors;
  if (problem !== undefined) throw usageError(`Failed to decode RayJob Yaml: ${path}: ${problem.message}`);
  const value = valueOf(document, path);
  if (!isRecord(value) || value['kind'] !== 'RayJob')
    throw usageError(
      `Failed to decode RayJob Yaml: ${path} holds no RayJob but ${isRecord(value) ? String(value['kind']) : 'something else'}`,
    );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API server checks the rest of the object
  const job = value as RayJob;
  if (job.spec?.submissionMode !== JobSubmissionMode.Interactive)
    throw usageError("Submission mode of the Ray Job must be set to 'InteractiveMode'");
  if ((job.spec.backoffLimit ?? 0) > 0) throw usageError('BackoffLimit is incompatible with InteractiveMode');
  return job;
}

/** Throws for aliases that would grow without bounds. */
function valueOf(document: Document.Parsed, path: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw usageError(`Failed to decode RayJob Yaml: ${path}: ${messageOf(error)}`, error);
  }
}

function jobFromFile(job: RayJob, flags: JobSubmitFlags, namespace: string, id: string): RayJob {
  const ttl = flags.ttlSecondsAfterFinished;
  const spec = {
    ...job.spec,
    jobId: id,
    ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl, shutdownAfterJobFinishes: true }),
  };
  const finalTtl = spec.ttlSecondsAfterFinished ?? 0;
  if (finalTtl < 0) throw usageError('ttlSecondsAfterFinished must be greater than or equal to 0');
  if (finalTtl > 0 && spec.shutdownAfterJobFinishes !== true)
    throw usageError('ttlSecondsAfterFinished is only supported when shutdownAfterJobFinishes is set to true');
  return { ...job, metadata: { ...job.metadata, namespace }, spec };
}

function generatedJob(flags: JobSubmitFlags, namespace: string, id: string, entrypoint: string): RayJob {
  const ttl = flags.ttlSecondsAfterFinished;
  const { rayVersion } = flags;
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { name: flags.name ?? '', namespace },
    spec: {
      // The operator runs nothing in this mode; older CRDs require an entrypoint anyway.
      entrypoint,
      submissionMode: JobSubmissionMode.Interactive,
      jobId: id,
      shutdownAfterJobFinishes: ttl !== undefined,
      ttlSecondsAfterFinished: ttl ?? 0,
      rayClusterSpec: rayClusterSpecOf({
        rayVersion,
        image: imageFor(flags.image, rayVersion),
        head: {
          cpu: flags.headCpu,
          memory: flags.headMemory,
          gpu: flags.headGpu,
          ...(flags.headNodeSelectors !== undefined && { nodeSelectors: flags.headNodeSelectors }),
        },
        workerGroups: [
          {
            replicas: flags.workerReplicas,
            cpu: flags.workerCpu,
            memory: flags.workerMemory,
            gpu: flags.workerGpu,
            ...(flags.workerNodeSelectors !== undefined && { nodeSelectors: flags.workerNodeSelectors }),
          },
        ],
      }),
    },
  };
}

/** `--runtime-env` and `--runtime-env-json`, else what the RayJob's file says. */
async function readRuntimeEnv(
  flags: JobSubmitFlags,
  job: RayJob | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const file =
    flags.runtimeEnv === undefined
      ? {}
      : yamlMap(await readText(flags.runtimeEnv, 'Runtime Env file'), '--runtime-env');
  const json = flags.runtimeEnvJson === undefined ? {} : yamlMap(flags.runtimeEnvJson, '--runtime-env-json');
  if (flags.runtimeEnv !== undefined || flags.runtimeEnvJson !== undefined) return { ...file, ...json };
  return yamlMap(job?.spec?.runtimeEnvYAML ?? '', 'spec.runtimeEnvYAML');
}

function yamlMap(text: string, what: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(text) ?? {};
  } catch (error) {
    // The text may hold secrets: only the place of the mistake is shown.
    throw usageError(`${what} cannot be read: ${messageOf(error).split('\n', 1)[0]}`);
  }
  if (!isRecord(value))
    throw usageError(`${what} is not a mapping. Use e.g. {"working_dir": ".", "pip": ["requests"]}.`);
  return value;
}

function jsonMap(text: string | undefined, flag: string): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Said below, as for JSON that is no object.
  }
  throw usageError(`${flag} is not a JSON object: ${text}`);
}

function textMap(text: string | undefined, flag: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(jsonMap(text, flag)).map(([key, value]) => [key, String(value)]));
}

function numberMap(text: string | undefined, flag: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(jsonMap(text, flag)).map(([key, value]) => {
      if (typeof value !== 'number')
        throw usageError(`${flag} is not a JSON object of numbers: ${text}. Use e.g. '{"accelerator": 1}'.`);
      return [key, value];
    }),
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
