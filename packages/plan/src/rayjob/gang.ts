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
import { fullName } from '../shared/names.ts';
import type { JobState } from './state.ts';

/** Creates or updates the batch scheduler's pod group for the job's cluster and submitter. Aborts if the scheduler refuses such a job. */
export function planJobGang(state: JobState, cluster: RayCluster | undefined): readonly Action[] {
  const scheduler = schedulerOf(state.context);
  if (scheduler === undefined) return [];
  const refusal = scheduler.refusal(state.job);
  if (refusal !== undefined) return [invalidForScheduler(state, refusal), { type: 'abort', message: refusal }];
  return cluster === undefined ? [] : scheduler.plan(jobGang(state, cluster), state.gang ?? [], true);
}

/** Corrects the pod group of a started job if it was changed. The job no longer depends on the group, so failures are ignored. */
export function maintainGang(state: JobState, step: Step): Step {
  const { cluster, selectsExistingCluster } = state;
  if (selectsExistingCluster || cluster === undefined || cluster.metadata?.deletionTimestamp !== undefined) return step;
  const kept = withoutRefusals(planJobGang(state, cluster)).map((action) => ({ ...action, isOptional: true }));
  return kept.length === 0 ? step : { ...step, actions: [...step.actions, ...kept] };
}

/** A refusal blocks jobs that have not started. It is dropped for jobs that have. */
function withoutRefusals(actions: readonly Action[]): readonly Action[] {
  return actions.filter(({ type }) => type !== 'abort' && type !== 'event');
}

/**
 * Reduces the pod group to the pods that the job still needs, or deletes it. Empty if nothing changes. The API server may refuse the change:
 * the job continues regardless.
 */
export function releaseGang(state: JobState): readonly Action[] {
  const { cluster, selectsExistingCluster, context, gang = [] } = state;
  const scheduler = schedulerOf(context);
  if (scheduler === undefined || selectsExistingCluster) return [];
  // A job that has ended gets no new group.
  if (gang.length === 0) return [];
  const isUp = cluster?.metadata?.deletionTimestamp === undefined && cluster?.spec !== undefined;
  const members = gangOfJob(state, cluster ?? {});
  const resources = `batch scheduler resources for RayJob ${fullName(state, state.name)}`;
  return withoutRefusals(scheduler.plan(members, gang, isUp)).map((action) =>
    action.type === 'update' || action.type === 'delete'
      ? {
          ...action,
          done: normal(RayJobEventReason.BatchSchedulerCleanedUp, 'Cleanup', `Cleaned up ${resources}`),
          failed: warning(
            RayJobEventReason.FailedToCleanupBatchScheduler,
            'Cleanup',
            `Failed to cleanup ${resources}:`,
          ),
          isOptional: true,
        }
      : { ...action, isOptional: true },
  );
}

/** Adds the batch scheduler's labels and annotations to the submitter's pods. */
export function submitterForScheduler(state: JobState, template: PodTemplateSpec): PodTemplateSpec {
  const marks = marksOf(state, state.cluster, GroupName.Submitter);
  return marks === undefined ? template : withMarks(template, marks);
}

/** Adds the batch scheduler's labels and annotations to the cluster, whose pods copy them. Only in K8sJobMode, where the submitter shares the group. */
export function clusterForScheduler(state: JobState, cluster: RayCluster): RayCluster {
  if (state.mode !== JobSubmissionMode.K8sJob) return cluster;
  const marks = marksOf(state, cluster, '');
  return marks === undefined ? cluster : withMetadataMarks(cluster, marks);
}

function marksOf(state: JobState, cluster: RayCluster | undefined, group: string) {
  return schedulerOf(state.context)?.marks(jobGang(state, cluster ?? {}), group);
}

function jobGang(state: JobState, cluster: RayCluster): Gang {
  return gangOfJob(state, cluster, () => submitterPod(state, cluster));
}

function gangOfJob({ job, context }: JobState, cluster: RayCluster, submitter?: () => PodSpec | undefined): Gang {
  const complete = withRayClusterDefaults(cluster);
  const spec = complete.spec ?? { headGroupSpec: { template: {} } };
  return gangOf({ kind: 'RayJob', object: job }, complete, spec, context, submitter);
}

/** The submitter's pod, for its resource requests only. The dashboard URL is not needed and may be unknown. */
function submitterPod(state: JobState, { metadata, spec }: RayCluster): PodSpec | undefined {
  const { job, status, mode, parseYaml, context } = state;
  if (mode !== JobSubmissionMode.K8sJob || spec === undefined) return undefined;
  const cluster = { name: metadata?.name ?? '', spec };
  const input = { job, jobId: status.jobId ?? '', dashboardUrl: '', cluster, parseYaml };
  const template = buildSubmitterTemplate(input, context);
  return template.ok ? template.value.spec : undefined;
}

function invalidForScheduler(state: JobState, why: string): Action {
  const note = `The RayJob spec is invalid ${fullName(state, state.name)}: ${why}`;
  return validationWarning(RayJobEventReason.InvalidRayJobSpec, note);
}
