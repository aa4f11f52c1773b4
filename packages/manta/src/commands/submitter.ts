import { proxyFor } from '@manta/kube';
import { createHttpSend, createRayClient, type RayClock } from '@manta/ray';
import { runSubmitter } from '../submitter/run-submitter.ts';
import { readSubmission, SubmissionProblem, type SubmitterFlags } from '../submitter/submission.ts';
import { tailOverWebSocket } from '../submitter/tail-logs.ts';

/** Unlike the operator's clock, this one keeps the process alive: waiting is all that it does at times. */
const clock: RayClock = {
  now: () => Date.now(),
  setTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

const SUBMIT_TIMEOUT_MS = 10_000;

/** Submits the job that the operator's variables and the command line describe, and follows it; resolves with the exit status. */
export async function submitter(flags: SubmitterFlags, entrypoint: readonly string[]): Promise<number> {
  const complain = (line: string) => void process.stderr.write(`${line}\n`);
  const http = createHttpSend({ proxyFor: (url) => proxyFor(url, process.env) });
  try {
    const submission = readSubmission(flags, entrypoint, process.env);
    const { head } = submission;
    return await runSubmitter(submission, {
      client: createRayClient({ clock, send: http.send, head, commandTimeoutMs: SUBMIT_TIMEOUT_MS }),
      tail: tailOverWebSocket(head),
      clock,
      print: (text) => void process.stdout.write(text),
      say: (line) => void process.stdout.write(`${line}\n`),
      complain,
    });
  } catch (error) {
    if (!(error instanceof SubmissionProblem)) throw error;
    complain(`ERROR --  ${error.message}`);
    return 1;
  } finally {
    http.close();
  }
}
