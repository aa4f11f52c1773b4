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

/** What Ray last said about the job, in the planner's words. */
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
  const answer = inWords(poller.ask(lookup.head, { kind: 'job', id: jobId }, interest));
  // Asked before the clock was set back: it cannot be told what it is older than.
  return 'at' in answer && answer.at > now ? { kind: 'awaited' } : answer;
}

function inWords(answer: Answer<JobInfo | undefined>): JobAnswer {
  switch (answer.kind) {
    case 'unknown':
      return { kind: 'awaited' };
    case 'known':
      return { kind: 'answered', at: answer.at, report: answer.value };
    case 'failing': {
      const { error, since, at } = answer;
      return { kind: 'failing', why: error.message, since, at, isBesideThePoint: isJsonRefusal(error) };
    }
  }
}

/** A JSON object that does not tell of a job, with an error status or without: the head is up, and does not speak of the job. */
function isJsonRefusal({ failure, body = '' }: RayCallError): boolean {
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

function isInVain(outcome: CommandOutcome): boolean {
  return outcome.kind === 'stop' && !outcome.wasRunning;
}

/** How far submitting and stopping this job got. */
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
      // Whether Ray really has a job under that id shows when it is asked for it; until then nothing was handed over.
      return result.outcome.kind === 'submit' && result.outcome.alreadyExisted
        ? { state: 'failed', at: result.at, why: 'Ray says that it has a job of that id already' }
        : { state: 'done', at: result.at, ...(isInVain(result.outcome) ? { isInVain: true } : {}) };
    case 'failed':
      return { state: 'failed', at: result.at, why: result.error.message };
  }
}
