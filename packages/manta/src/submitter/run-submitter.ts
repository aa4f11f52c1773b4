import { type Follower, followJob, type JobEnd, JobStatus, RayCallError, type RayClient, wait } from '@manta/ray';
import type { Submission } from './submission.ts';

/** Where a submitter speaks, and what it works with. */
export interface SubmitterWorld extends Follower {
  readonly client: RayClient;
  /** Lines that are about the submitter's own work. */
  readonly say: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** A head may come up a little later than its address. */
const SUBMIT_PATIENCE_MS = 60_000;
const SUBMIT_DELAY_MS = 2_000;

/**
 * Submits a job and follows it to its end. The exit status tells of the submitter's work, not of the job's: 0 when the job was
 * submitted and its end was seen, whatever it was, since Ray keeps the outcome and a submitter that is started again could not change it.
 */
export async function runSubmitter({ request }: Submission, world: SubmitterWorld): Promise<number> {
  const id = request.submissionId;
  try {
    const { alreadyExisted } = await submit(request, world);
    world.say(
      alreadyExisted
        ? `INFO -- Job '${id}' has already been submitted, tailing logs.`
        : `SUCC -- Job '${id}' submitted successfully`,
    );
    world.say('INFO -- Tailing logs until the job finishes:');
    return report(id, await followJob(id, world), world);
  } catch (error) {
    if (!(error instanceof RayCallError)) throw error;
    world.complain(`ERROR --  ${error.message}`);
    return 1;
  }
}

/** Tries again while nobody answers: under one id a job is begun only once. */
async function submit(
  request: Submission['request'],
  { client, clock }: SubmitterWorld,
): ReturnType<RayClient['submitJob']> {
  const since = clock.now();
  for (;;) {
    try {
      return await client.submitJob(request);
    } catch (error) {
      const isSilence =
        error instanceof RayCallError && (error.failure === 'unreachable' || error.failure === 'timeout');
      if (!isSilence || clock.now() - since >= SUBMIT_PATIENCE_MS) throw error;
      await wait(clock, SUBMIT_DELAY_MS);
    }
  }
}

function report(id: string, end: JobEnd, { say, complain }: SubmitterWorld): number {
  if (end.kind === 'silent') {
    complain(`ERROR --  the head does not answer any more: ${end.error.message}`);
    return 1;
  }
  if (end.kind === 'lost') {
    // With another exit status Kubernetes would start us again, and we would run the job a second time without anybody's word.
    complain(`ERROR --  Ray does not know job '${id}' any more: its head was replaced, or the job deleted`);
    return 0;
  }
  const { status, message } = end.job;
  if (status === JobStatus.succeeded) say(`SUCC -- Job '${id}' succeeded`);
  else complain(`FAIL -- Job '${id}' ${status.toLowerCase()}${message === '' ? '' : `: ${message}`}`);
  return 0;
}
