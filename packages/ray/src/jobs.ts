import { RAY_LIMITS } from '@manta/base';
import { callError, statusError } from './call-head.ts';
import type { CommandOutcome } from './command.ts';
import { expectObject, type HeadCalls, isGood, type Reading, tooMany, unexpected } from './head-calls.ts';
import { type JobInfo, type JobRequest, isTerminal } from './job-info.ts';
import {
  isJsonObject,
  type JsonObject,
  messageOf,
  numberOf,
  objectOf,
  textOf,
  textsOf,
  timeOf,
} from './json-fields.ts';

/** Part of the answer by which a head refuses an id that it already has. */
const ALREADY_USED = 'Please use a different submission_id';

/** The job with this id; undefined when the head knows none. */
export async function getJob(calls: HeadCalls, id: string): Promise<JobInfo | undefined> {
  return await calls.jsonOrAbsent(calls.question('GetJobInfo', 'job', jobPath(id)), (reading) => {
    const job = readJob(expectObject(reading));
    if (job === undefined) throw unexpected(reading, 'has no status of a job');
    return job;
  });
}

/** All jobs of the head, those that were not submitted through this API included. */
export async function listJobs(calls: HeadCalls): Promise<readonly JobInfo[]> {
  return (await calls.jsonOrAbsent(calls.question('ListJobs', 'jobs', '/api/jobs/'), readJobs)) ?? [];
}

function readJobs(reading: Reading): readonly JobInfo[] {
  const { json } = reading;
  if (!Array.isArray(json)) throw unexpected(reading, 'is not a list of jobs');
  if (json.length > RAY_LIMITS.jobs) throw tooMany(reading, 'jobs', json.length, RAY_LIMITS.jobs);
  return json.flatMap((item: unknown) => {
    const job = isJsonObject(item) ? readJob(item) : undefined;
    return job === undefined ? [] : [job];
  });
}

/** Hands a job to the head. One that it already has under this id is left as it is. */
export async function submitJob(
  calls: HeadCalls,
  request: JobRequest,
): Promise<CommandOutcome & { readonly kind: 'submit' }> {
  const call = calls.command('SubmitJob', 'POST', '/api/jobs/', submissionOf(request));
  const answer = await calls.answer(call);
  const { submissionId } = request;
  if (isGood(answer.status)) return { kind: 'submit', submissionId, alreadyExisted: false };
  if (answer.text.includes(ALREADY_USED)) return { kind: 'submit', submissionId, alreadyExisted: true };
  throw statusError(call, answer);
}

/** Stops a job; one that has ended, or that the head does not know, needs no stopping. */
export async function stopJob(calls: HeadCalls, id: string): Promise<CommandOutcome & { readonly kind: 'stop' }> {
  const call = calls.command('StopJob', 'POST', `${jobPath(id)}/stop`);
  const hasStopped = await calls.jsonOrAbsent(call, (reading) => expectObject(reading)['stopped'] === true);
  if (hasStopped === undefined) return { kind: 'stop', wasRunning: false };
  if (hasStopped) return { kind: 'stop', wasRunning: true };
  const job = id === '' ? undefined : await getJob(calls, id);
  if (job === undefined || isTerminal(job.status)) return { kind: 'stop', wasRunning: false };
  throw callError(call, `left the job as it is: it is still ${job.status}`, { failure: 'refused', didNothing: true });
}

/** Makes the head forget a job that has ended. */
export async function deleteJob(calls: HeadCalls, id: string): Promise<CommandOutcome & { readonly kind: 'delete' }> {
  const call = calls.command('DeleteJob', 'DELETE', jobPath(id));
  const answer = await calls.answer(call);
  if (answer.status === 404) return { kind: 'delete', existed: false };
  if (!isGood(answer.status)) throw statusError(call, answer);
  return { kind: 'delete', existed: true };
}

/** All that a job has printed so far. */
export async function getJobLogs(calls: HeadCalls, id: string): Promise<string | undefined> {
  const call = calls.question('GetJobLog', 'logs', `${jobPath(id)}/logs`);
  return await calls.jsonOrAbsent(call, (reading) => textOf(expectObject(reading), 'logs') ?? '');
}

/** The path of one job. */
export function jobPath(id: string): string {
  return `/api/jobs/${encodeURIComponent(id)}`;
}

/** The request's body, with empty and zero members left out. */
export function submissionOf(request: JobRequest): JsonObject {
  const { metadata, runtimeEnv, entrypointNumCpus, entrypointNumGpus, entrypointMemory, entrypointResources } = request;
  return {
    entrypoint: request.entrypoint,
    ...(request.submissionId !== '' && { submission_id: request.submissionId }),
    ...(isFilled(runtimeEnv) && { runtime_env: runtimeEnv }),
    ...(isFilled(metadata) && { metadata }),
    ...(entrypointNumCpus && { entrypoint_num_cpus: entrypointNumCpus }),
    ...(entrypointNumGpus && { entrypoint_num_gpus: entrypointNumGpus }),
    ...(entrypointMemory && { entrypoint_memory: entrypointMemory }),
    ...(isFilled(entrypointResources) && { entrypoint_resources: entrypointResources }),
  };
}

function isFilled(object: JsonObject | undefined): object is JsonObject {
  return object !== undefined && Object.keys(object).length > 0;
}

/** The job in a response; undefined if it has no status, so that an error text is not taken for a job. */
function readJob(object: JsonObject): JobInfo | undefined {
  const status = textOf(object, 'status');
  if (status === undefined || status === '' || status.length > RAY_LIMITS.statusCharacters) return undefined;
  return {
    status,
    message: messageOf(object, 'message'),
    startTime: timeOf(object, 'start_time'),
    endTime: timeOf(object, 'end_time'),
    submissionId: textOf(object, 'submission_id'),
    jobId: textOf(object, 'job_id'),
    entrypoint: textOf(object, 'entrypoint'),
    errorType: textOf(object, 'error_type'),
    driverExitCode: numberOf(object, 'driver_exit_code'),
    metadata: textsOf(objectOf(object, 'metadata')),
    runtimeEnv: objectOf(object, 'runtime_env'),
  };
}
