import { type CommandView, type JobAnswer, type ObservedRayJob, stopId, submissionId } from '@manta/plan';
import {
  type Answer,
  type CommandOutcome,
  type CommandResult,
  type Interest,
  isKubernetesStatus,
  type JobInfo,
  type RayCallError,
  type RayPoller,
} from '@manta/ray';
import type { HeadLookup } from './ray-heads.ts';

/** Ray's last answer about the job, in the planner's terms. */
export function answerOf(
  poller: RayPoller,
  lookup: HeadLookup | undefined,
  jobId: string | undefined,
  interest: Interest,
  now: number,
): JobAnswer {
  if (lookup === undefined) return { kind: 'unasked' };
  if (!lookup.isFound) return { kind: 'unreachable', why: lookup.why };
  if (jobId === undefined) return { kind: 'unasked' };
  const answer = toJobAnswer(poller.ask(lookup.head, { kind: 'job', id: jobId }, interest));
  // The clock was set back since the question: its age is unknown.
  return 'at' in answer && answer.at > now ? { kind: 'awaited' } : answer;
}

function toJobAnswer(answer: Answer<JobInfo | undefined>): JobAnswer {
  switch (answer.kind) {
    case 'unknown':
      return { kind: 'awaited' };
    case 'known':
      return { kind: 'answered', at: answer.at, report: answer.value };
    case 'failing': {
      const { error, since, at } = answer;
      return { kind: 'failing', why: error.message, since, at, isMalformed: lacksJob(error) };
    }
  }
}

/** Whether the response is JSON that does not describe a job, with an error status or without: the head runs, but has lost the job. */
function lacksJob({ failure, body = '' }: RayCallError): boolean {
  if (isKubernetesStatus(body)) return false;
  return failure === 'status' ? body.trimStart().startsWith('{') : failure === 'unreadable' && isObjectOrNull(body);
}

function isObjectOrNull(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value);
  } catch {
    return false;
  }
}

function wasNotRunning(outcome: CommandOutcome): boolean {
  return outcome.kind === 'stop' && !outcome.wasRunning;
}

/** Progress of submitting and stopping this job. */
export function commandsOf(
  results: readonly CommandResult[],
  jobId: string,
): Pick<ObservedRayJob, 'submission' | 'stopping'> {
  const find = (id: string) => viewOf(results.findLast((result) => result.id === id));
  return { submission: find(submissionId(jobId)), stopping: find(stopId(jobId)) };
}

function viewOf(result: CommandResult | undefined): CommandView | undefined {
  switch (result?.state) {
    case undefined:
      return undefined;
    case 'running':
      return { state: 'running', since: result.startedAt };
    case 'done':
      // The next status check shows whether Ray really has a job with that id. Until then the job counts as not submitted.
      return result.outcome.kind === 'submit' && result.outcome.alreadyExisted
        ? { state: 'failed', at: result.at, why: 'Ray says that it has a job of that id already' }
        : { state: 'done', at: result.at, ...(wasNotRunning(result.outcome) ? { wasNotRunning: true } : {}) };
    case 'failed':
      return { state: 'failed', at: result.at, why: result.error.message };
  }
}
