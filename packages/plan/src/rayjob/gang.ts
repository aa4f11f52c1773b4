import {
  GroupName,
  JobSubmissionMode,
  type PodSpec,
  type PodTemplateSpec,
  type RayCluster,
  RayJobEventReason,
  withRayClusterDefaults,
} from '@manta/api';
import { buildSubmitterTemplate } from '../build/submitter-job.ts';
import { type Action, normal, validationWarning, warning } from '../plan.ts';
import { type Gang, gangOf } from '../scheduling/gang.ts';
import { withMarks, withMetadataMarks } from '../scheduling/marks.ts';
import { schedulerOf } from '../scheduling/schedulers.ts';
import type { Step } from './step.ts';
import { fullName, type Subject } from './subject.ts';

/** Tells the batch scheduler which pods of the job, and of the cluster that is made for it, have to come together. */
export function planJobGang(subject: Subject, cluster: RayCluster | undefined): readonly Action[] {
  const scheduler = schedulerOf(subject.context);
  if (scheduler === undefined) return [];
  const refusal = scheduler.refusal(subject.job);
  if (refusal !== undefined) return [cannot(subject, refusal), { type: 'abort', message: refusal }];
  return cluster === undefined ? [] : scheduler.plan(jobGang(subject, cluster), subject.gang ?? [], true);
}

/** While a job runs, what the scheduler was told of it is put right where somebody has changed it; the job depends on it no more. */
export function keepGang(subject: Subject, step: Step): Step {
  const { cluster, isSelecting } = subject;
  if (isSelecting || cluster === undefined || cluster.metadata?.deletionTimestamp !== undefined) return step;
  const kept = asFarAsPossible(planJobGang(subject, cluster)).map((action) => ({ ...action, isOptional: true }));
  return kept.length === 0 ? step : { ...step, actions: [...step.actions, ...kept] };
}

/** What forbids to tell the scheduler of a gang stops jobs that are to begin, and none that has begun. */
function asFarAsPossible(actions: readonly Action[]): readonly Action[] {
  return actions.filter(({ type }) => type !== 'abort' && type !== 'event');
}

/**
 * Lets the scheduler know that a job needs less, or nothing any more. Tells of it only where that changes something; the job itself goes on
 * also where that is refused.
 */
export function releaseGang(subject: Subject): readonly Action[] {
  const { cluster, isSelecting, context, gang = [] } = subject;
  const scheduler = schedulerOf(context);
  if (scheduler === undefined || isSelecting) return [];
  // Nothing is made for a job that is over.
  if (gang.length === 0) return [];
  const isUp = cluster?.metadata?.deletionTimestamp === undefined && cluster?.spec !== undefined;
  const members = gangOfJob(subject, cluster ?? {});
  const told = `batch scheduler resources for RayJob ${fullName(subject, subject.name)}`;
  return asFarAsPossible(scheduler.plan(members, gang, isUp)).map((action) =>
    action.type === 'update' || action.type === 'delete'
      ? {
          ...action,
          done: normal(RayJobEventReason.BatchSchedulerCleanedUp, 'Cleanup', `Cleaned up ${told}`),
          failed: warning(RayJobEventReason.FailedToCleanupBatchScheduler, 'Cleanup', `Failed to cleanup ${told}:`),
          isOptional: true,
        }
      : { ...action, isOptional: true },
  );
}

/** Marks the pods of the submitter for the batch scheduler, if there is one. */
export function submitterForScheduler(subject: Subject, template: PodTemplateSpec): PodTemplateSpec {
  const marks = marksOf(subject, subject.cluster, GroupName.Submitter);
  return marks === undefined ? template : withMarks(template, marks);
}

/** The same for the cluster of a job whose submitter is a pod of its own: what all of them must say alike is written down on it. */
export function clusterForScheduler(subject: Subject, cluster: RayCluster): RayCluster {
  if (subject.mode !== JobSubmissionMode.K8sJob) return cluster;
  const marks = marksOf(subject, cluster, '');
  return marks === undefined ? cluster : withMetadataMarks(cluster, marks);
}

function marksOf(subject: Subject, cluster: RayCluster | undefined, group: string) {
  return schedulerOf(subject.context)?.marks(jobGang(subject, cluster ?? {}), group);
}

function jobGang(subject: Subject, cluster: RayCluster): Gang {
  return gangOfJob(subject, cluster, () => submitterPod(subject, cluster));
}

function gangOfJob({ job, context }: Subject, cluster: RayCluster, submitter?: () => PodSpec | undefined): Gang {
  const complete = withRayClusterDefaults(cluster);
  const spec = complete.spec ?? { headGroupSpec: { template: {} } };
  return gangOf({ kind: 'RayJob', object: job }, complete, spec, context, submitter);
}

/** Only what it asks for matters here: it may be known before the dashboard is. */
function submitterPod(subject: Subject, { metadata, spec }: RayCluster): PodSpec | undefined {
  const { job, status, mode, parseYaml, context } = subject;
  if (mode !== JobSubmissionMode.K8sJob || spec === undefined) return undefined;
  const cluster = { name: metadata?.name ?? '', spec };
  const input = { job, jobId: status.jobId ?? '', dashboardUrl: '', cluster, parseYaml };
  const template = buildSubmitterTemplate(input, context);
  return template.ok ? template.value.spec : undefined;
}

function cannot(subject: Subject, why: string): Action {
  const note = `The RayJob spec is invalid ${fullName(subject, subject.name)}: ${why}`;
  return validationWarning(RayJobEventReason.InvalidRayJobSpec, note);
}
