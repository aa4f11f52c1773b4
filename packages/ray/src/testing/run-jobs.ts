import type { FakeHead, FakeJob } from './fake-head.ts';
import { isTerminal } from '../job-info.ts';

/**
 * Runs the jobs of a fake head: each call takes every job one command further. Understands `echo words`, `sleep seconds`, which lasts so
 * many calls, and `exit code`, one after the other.
 */
export function runJobs(head: FakeHead): void {
  for (const job of head.jobs.values()) {
    if (!isTerminal(job.status)) step(head, job);
  }
}

function step(head: FakeHead, job: FakeJob): void {
  const id = job.submission_id;
  if (job.status === 'PENDING') {
    head.setJob(id, { status: 'RUNNING', logs: `Running entrypoint for job ${id}: ${job.entrypoint}\n` });
    return;
  }
  const done = Number(job['commandsDone'] ?? 0);
  const [command = 'exit', ...words] = (job.entrypoint.split(';')[done]?.trim() ?? 'exit 0').split(' ');
  if (command === 'exit') end(head, id, Number(words[0] ?? 0));
  else if (command === 'echo') head.setJob(id, { logs: `${job.logs}${words.join(' ')}\n`, commandsDone: done + 1 });
  else head.setJob(id, sleepOn(job, done, Number(words[0] ?? 0)));
}

function sleepOn(job: FakeJob, done: number, calls: number): Partial<FakeJob> {
  const slept = Number(job['slept'] ?? 0) + 1;
  return slept < calls ? { slept } : { slept: 0, commandsDone: done + 1 };
}

function end(head: FakeHead, id: string, code: number): void {
  if (code === 0) {
    head.setJob(id, { status: 'SUCCEEDED', message: 'Job finished successfully.', driver_exit_code: 0 });
    return;
  }
  const message = `Job entrypoint command failed with exit code ${code}, last available logs`;
  head.setJob(id, { status: 'FAILED', message, driver_exit_code: code, error_type: 'JOB_ENTRYPOINT_COMMAND_ERROR' });
}
