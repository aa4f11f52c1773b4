import { type Job, JobSubmissionMode, NodeType, RayJobEventReason } from '@manta/api';
import { buildSubmitterJob } from '../build/submitter-job.ts';
import { type Action, normal, warning } from '../plan.ts';
import type { JobRecord } from '../raycluster/observed.ts';
import { submitterForScheduler } from './gang.ts';
import type { ObservedRayJob } from './observed.ts';
import { fullName, type Subject, subjectOf } from './subject.ts';

/** How it stands with whoever hands the job to Ray. */
export type Submitter =
  /** Nobody but the operator or the user submits. */
  | { readonly kind: 'none' }
  /** It should be there and is not. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'working' }
  | { readonly kind: 'finished'; readonly at: number }
  | { readonly kind: 'failed'; readonly at: number; readonly message: string };

const { CreatedRayJobSubmitter, FailedToCreateRayJobSubmitter } = RayJobEventReason;
/** How often a submitter in the head pod may be restarted. */
const MAX_RESTARTS = 2;

/** What the submitter has come to, whichever form it has. */
export function submitterOf(subject: Subject): Submitter {
  if (subject.mode === JobSubmissionMode.K8sJob) return ofJob(ownSubmitter(subject), subject.now);
  return subject.mode === JobSubmissionMode.Sidecar ? ofSidecar(subject) : { kind: 'none' };
}

/** The Kubernetes Job that was made for this very RayJob; one that an earlier RayJob of the same name left does not count. */
export function ownSubmitter({ submitter, uid }: Subject): JobRecord | undefined {
  return submitter?.owner === uid ? submitter : undefined;
}

/** When the submitter ended, by the clock of its machine; undefined while it works, and where there is none. */
export function endOfSubmitter(observed: Omit<ObservedRayJob, 'answer'>): number | undefined {
  // An end without a time is always the same one: the time of day must not make a new one of it on each look.
  const submitter = submitterOf(subjectOf({ ...observed, now: 0, answer: { kind: 'unasked' } }));
  return 'at' in submitter ? submitter.at : undefined;
}

function ofJob(job: JobRecord | undefined, now: number): Submitter {
  if (job === undefined) return { kind: 'missing' };
  const { finishedAt, failure } = job;
  if (failure !== undefined) {
    const message = `Job submission has failed. Reason: ${failure.reason}. Message: ${failure.message}`;
    return { kind: 'failed', at: finishedAt ?? now, message };
  }
  return finishedAt === undefined ? { kind: 'working' } : { kind: 'finished', at: finishedAt };
}

function ofSidecar({ heads, context, now }: Subject): Submitter {
  const container = heads.find(({ nodeType }) => nodeType === NodeType.Head)?.head?.submitter;
  if (container === undefined) return { kind: 'working' };
  const { exitCode, reason, finishedAt, restartCount, hasEndedBefore } = container;
  const at = finishedAt ?? now;
  if (context.gates.SidecarSubmitterRestart) {
    if (hasEndedBefore && exitCode !== 0 && restartCount >= MAX_RESTARTS) {
      const message =
        'Ray head pod submitter container ray-job-submitter terminated after exceeding the maximum restart count';
      return { kind: 'failed', at, message };
    }
    // One that failed is about to be started again.
    return exitCode === 0 ? { kind: 'finished', at } : { kind: 'working' };
  }
  if (exitCode === undefined) return { kind: 'working' };
  if (exitCode === 0) return { kind: 'finished', at };
  const message = `Ray head pod container ray-job-submitter terminated with exit code ${exitCode}: ${reason}`;
  return { kind: 'failed', at, message };
}

/** Makes the Kubernetes Job that submits. Its own script asks Ray first, so a second one submits nothing twice. */
export function planSubmitterJob(subject: Subject, dashboardUrl: string): readonly Action[] {
  const { job, cluster, status, name, parseYaml, context } = subject;
  if (ownSubmitter(subject) !== undefined || cluster?.spec === undefined) return [];
  const target = { name: cluster.metadata?.name ?? '', spec: cluster.spec };
  const input = { job, jobId: status.jobId ?? '', dashboardUrl, cluster: target, parseYaml };
  const submitter = buildSubmitterJob(input, context);
  if (!submitter.ok) return [{ type: 'abort', message: submitter.error }];
  const told = `Kubernetes Job ${fullName(subject, name)}`;
  return [
    {
      type: 'create',
      kind: 'Job',
      objects: [marked(subject, submitter.value)],
      whenExists: 'fine-if-ours',
      done: normal(CreatedRayJobSubmitter, 'Create', `Created ${told}`),
      failed: warning(FailedToCreateRayJobSubmitter, 'Create', `Failed to create new ${told}:`),
    },
  ];
}

function marked(subject: Subject, job: Job): Job {
  const { spec } = job;
  return spec === undefined
    ? job
    : { ...job, spec: { ...spec, template: submitterForScheduler(subject, spec.template) } };
}
