import type { Command, CommandOutcome } from '../command.ts';
import type { JobInfo } from '../job-info.ts';
import type { Question } from '../question.ts';
import type { RayClient } from '../ray-client.ts';

/** Puts a question to a head. */
export function askHead(client: RayClient, question: Question): Promise<unknown> {
  switch (question.kind) {
    case 'job':
      return client.getJob(question.id).then(brief);
    case 'jobs':
      return client.listJobs();
    case 'serve':
      return client.getServe();
    case 'nodes':
      return client.listNodes();
    case 'version':
      return client.getVersion();
    case 'proxy-health':
      return client.isProxyHealthy(question.url);
  }
}

/** What is kept of a job for as long as it runs: how it stands, not what it was started with. */
function brief(job: JobInfo | undefined): JobInfo | undefined {
  if (job === undefined) return undefined;
  const { status, message, startTime, endTime } = job;
  return { status, message, startTime, endTime };
}

/** Gives a command to a head. */
export function tellHead(client: RayClient, command: Command): Promise<CommandOutcome> {
  switch (command.kind) {
    case 'submit':
      return client.submitJob(command.request);
    case 'stop':
      return client.stopJob(command.id);
    case 'delete':
      return client.deleteJob(command.id);
    case 'put-serve':
      return client.putServe(command.config);
  }
}

/** Whether a command may change the answer to a question. */
export function touches(command: Command, question: Question): boolean {
  if (command.kind === 'put-serve') return question.kind === 'serve';
  if (question.kind === 'jobs') return true;
  const id = command.kind === 'submit' ? command.request.submissionId : command.id;
  return question.kind === 'job' && question.id === id;
}
