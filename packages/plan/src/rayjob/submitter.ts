import { type Job, JobSubmissionMode, NodeType, RayJobEventReason } from '@manta/api';
import { buildSubmitterJob } from '../build/submitter-job.ts';
import { deleteOwn } from '../ownership.ts';
import { type Action, type DeleteAction, normal, warning } from '../plan.ts';
import type { JobRecord } from '../raycluster/observed.ts';
import { submitterForScheduler } from './gang.ts';
import { fullName } from '../shared/names.ts';
import { type JobState, type ObservedJob } from './state.ts';

/** The state of the Kubernetes Job (K8sJobMode) or container in the head pod (SidecarMode) that submits the job to Ray. */
export type Submitter =
  /** The operator or the user submits. */
  | { readonly kind: 'none' }
  /** The submitter should exist and does not. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'working' }
  /** `endedAt` is the time on the submitter's machine; undefined if Kubernetes did not record it. */
  | { readonly kind: 'finished'; readonly endedAt: number | undefined }
  | { readonly kind: 'failed'; readonly endedAt: number | undefined; readonly message: string };

/** How often the kubelet may restart a submitter in the head pod. */
const MAX_RESTARTS = 2;

/** The state of the job's submitter in either mode. */
export function submitterState(state: ObservedJob): Submitter {
  if (state.mode === JobSubmissionMode.K8sJob) return jobSubmitterState(ownSubmitter(state));
  return state.mode === JobSubmissionMode.Sidecar ? sidecarState(state) : { kind: 'none' };
}

/** The Kubernetes Job of this RayJob; the Job of a deleted RayJob with the same name does not count. */
export function ownSubmitter({ submitter, uid }: ObservedJob): JobRecord | undefined {
  return submitter?.owner === uid ? submitter : undefined;
}

function jobSubmitterState(job: JobRecord | undefined): Submitter {
  if (job === undefined) return { kind: 'missing' };
  const { finishedAt, failure } = job;
  if (failure !== undefined) {
    const message = `Job submission has failed. Reason: ${failure.reason}. Message: ${failure.message}`;
    return { kind: 'failed', endedAt: finishedAt, message };
  }
  return finishedAt === undefined ? { kind: 'working' } : { kind: 'finished', endedAt: finishedAt };
}

function sidecarState({ heads, context }: ObservedJob): Submitter {
  const container = heads.find(({ nodeType }) => nodeType === NodeType.Head)?.head?.submitter;
  if (container === undefined) return { kind: 'working' };
  const { exitCode, reason, finishedAt: endedAt, restartCount, hasEndedBefore } = container;
  if (context.gates.SidecarSubmitterRestart) {
    if (hasEndedBefore && exitCode !== 0 && restartCount >= MAX_RESTARTS) {
      const message =
        'Ray head pod submitter container ray-job-submitter terminated after exceeding the maximum restart count';
      return { kind: 'failed', endedAt, message };
    }
    // The kubelet is about to restart a failed container.
    return exitCode === 0 ? { kind: 'finished', endedAt } : { kind: 'working' };
  }
  if (exitCode === undefined) return { kind: 'working' };
  if (exitCode === 0) return { kind: 'finished', endedAt };
  const message = `Ray head pod container ray-job-submitter terminated with exit code ${exitCode}: ${reason}`;
  return { kind: 'failed', endedAt, message };
}

/** Creates the Kubernetes Job that submits. Its script asks Ray first, so a second Job does not submit twice. */
export function createSubmitterJob(state: JobState, dashboardUrl: string): readonly Action[] {
  const { job, cluster, status, name, parseYaml, context } = state;
  if (ownSubmitter(state) !== undefined || cluster?.spec === undefined) return [];
  const target = { name: cluster.metadata?.name ?? '', spec: cluster.spec };
  const input = { job, jobId: status.jobId ?? '', dashboardUrl, cluster: target, parseYaml };
  const submitter = buildSubmitterJob(input, context);
  if (!submitter.ok) return [{ type: 'abort', message: submitter.error }];
  const object = `Kubernetes Job ${fullName(state, name)}`;
  return [
    {
      type: 'create',
      kind: 'Job',
      objects: [withSchedulerMarks(state, submitter.value)],
      whenExists: 'fine-if-ours',
      done: normal(RayJobEventReason.CreatedRayJobSubmitter, 'Create', `Created ${object}`),
      failed: warning(RayJobEventReason.FailedToCreateRayJobSubmitter, 'Create', `Failed to create new ${object}:`),
    },
  ];
}

/** Deletes the job's own submitter, unless the submitter is terminating already. */
export function deleteSubmitter(
  state: JobState,
  options: Pick<DeleteAction, 'propagation' | 'isOptional'> = { propagation: 'Background' },
): readonly Action[] {
  const submitter = ownSubmitter(state);
  if (submitter === undefined || submitter.isTerminating === true) return [];
  const object = `submitter K8s Job ${fullName(state, submitter.name)}`;
  const done = normal(RayJobEventReason.DeletedRayJobSubmitter, 'Delete', `Deleted ${object}`);
  const failed = warning(RayJobEventReason.FailedToDeleteRayJobSubmitter, 'Delete', `Failed to delete ${object}:`);
  return deleteOwn(state.uid, 'Job', submitter, { ...options, done, failed });
}

function withSchedulerMarks(state: JobState, job: Job): Job {
  const { spec } = job;
  return spec === undefined
    ? job
    : { ...job, spec: { ...spec, template: submitterForScheduler(state, spec.template) } };
}
