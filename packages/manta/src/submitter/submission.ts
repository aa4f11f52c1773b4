import { isRecord } from '@manta/api';
import type { JobRequest } from '@manta/ray';

/** What the command line of a submitter says. */
export interface SubmitterFlags {
  readonly runtimeEnvJson?: string;
  readonly metadataJson?: string;
  readonly entrypointResources?: string;
  readonly entrypointNumCpus?: number;
  readonly entrypointNumGpus?: number;
}

/** A job, and the head that it goes to. */
export interface Submission {
  readonly head: { readonly url: string; readonly token: string | undefined };
  readonly request: JobRequest;
}

/** What is missing or wrong in what a submitter was given; said as it is. */
export class SubmissionProblem extends Error {
  override readonly name = 'SubmissionProblem';
}

/** Reads what the operator put into the environment and what the user wrote behind the command. */
export function readSubmission(
  flags: SubmitterFlags,
  entrypoint: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Submission {
  const address = required(env, 'RAY_DASHBOARD_ADDRESS');
  const submissionId = required(env, 'RAY_JOB_SUBMISSION_ID');
  if (entrypoint.length === 0)
    throw new SubmissionProblem(
      'there is nothing to run: write the entrypoint behind the flags, as in -- python app.py',
    );
  return {
    head: {
      url: (/^https?:\/\//.test(address) ? address : `http://${address}`).replace(/\/+$/, ''),
      token: env['RAY_AUTH_TOKEN'] || undefined,
    },
    request: {
      entrypoint: entrypoint.join(' '),
      submissionId,
      runtimeEnv: readObject('--runtime-env-json', flags.runtimeEnvJson),
      metadata: readMap('--metadata-json', flags.metadataJson, isText, 'texts'),
      entrypointResources: readMap('--entrypoint-resources', flags.entrypointResources, isNumber, 'numbers'),
      entrypointNumCpus: flags.entrypointNumCpus,
      entrypointNumGpus: flags.entrypointNumGpus,
    },
  };
}

function required(env: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new SubmissionProblem(`missing ${name} in environment variables`);
}

function readObject(flag: string, text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined || text === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SubmissionProblem(`${flag} is no JSON: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
  if (isRecord(value)) return value;
  throw new SubmissionProblem(`${flag} must be a JSON object, such as {"key": …}`);
}

function readMap<T>(
  flag: string,
  text: string | undefined,
  fits: (value: unknown) => value is T,
  what: string,
): Readonly<Record<string, T>> | undefined {
  const map = readObject(flag, text);
  if (map === undefined) return undefined;
  const misfit = Object.keys(map).find((key) => !fits(map[key]));
  if (misfit !== undefined) throw new SubmissionProblem(`${flag} must hold ${what} only; ${misfit} is none`);
  return Object.fromEntries(Object.entries(map).flatMap(([key, value]) => (fits(value) ? [[key, value]] : [])));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
