import { JobDeploymentStatus, JobSubmissionMode, Label, type Pod, type RayJob, RayJobState } from '@manta/api';
import { ageMs, eventsOf, find, refOf, refText, timeMs } from '../lookup.ts';
import { itemsOf, type RayRef, type World } from '../world.ts';
import { brief, type Cause, type Found } from './cause.ts';
import { clusterCauses, podSays } from './cluster.ts';
import { commonCause, createRefused, invalid, invalidSpec, operatorBehind } from './common.ts';
import { applicationFailure, jobFailure } from './job-failure.ts';
import { podCause } from './pod.ts';
import { refusalCause } from './refusals.ts';

/** Why a RayJob does not run or did not succeed; empty if it runs or succeeded. */
export function jobCauses(job: RayJob, world: World): readonly Found[] {
  const ref = { ...refOf('RayJob', job), kind: 'RayJob', namespace: job.metadata?.namespace ?? '' } as const;
  const links = [{ object: ref, says: jobSays(job) }];
  const own = (cause: Cause | undefined): readonly Found[] => (cause === undefined ? [] : [{ links, cause }]);
  const below = (found: readonly Found[]): readonly Found[] =>
    found.map(({ links: more, cause }) => ({ links: [...links, ...more], cause }));
  const { status = {} } = job;
  switch (status.jobDeploymentStatus) {
    case JobDeploymentStatus.Complete:
      return own(ended(ref, job, world));
    case JobDeploymentStatus.Failed: {
      // A submitter that failed says more in its own pod; so does a cluster that kept the job from starting.
      const failure = jobFailure(ref, job, world);
      const deeper =
        failure.code === 'SubmitterFailed'
          ? submitterFindings(ref, job, world)
          : failure.code === 'NotStartedInTime'
            ? clusterFindings(job, world)
            : [];
      const hard = below(deeper).filter(({ cause }) => cause.isProgress !== true);
      return failure.code === 'SubmitterFailed' ? [...hard, ...own(failure)] : [...own(failure), ...hard];
    }
    case JobDeploymentStatus.ValidationFailed:
      return own(
        invalid(ref, status.message ?? '', { object: ref, source: 'status.message', text: brief(status.message) }),
      );
    default: {
      const common = commonCause({ ref, object: job }, world);
      if (common !== undefined) return own(common);
      const found = [
        ...own(underWay(ref, job, world)),
        ...below(clusterFindings(job, world)),
        ...below(submitterFindings(ref, job, world)),
      ];
      const all = [...found, ...own(operatorBehind({ ref, object: job }, world))];
      return all.length > 0 || status.jobDeploymentStatus === JobDeploymentStatus.Running
        ? all
        : own(startingJob(ref, job));
    }
  }
}

function ended(ref: RayRef, { status = {} }: RayJob, world: World): Cause | undefined {
  if (status.jobStatus === RayJobState.Failed) return applicationFailure(ref, status, world);
  if (status.jobStatus !== RayJobState.Stopped) return undefined;
  return {
    code: 'JobStopped',
    object: ref,
    sentence: `${refText(ref)} was stopped before its end`,
    evidence: [{ object: ref, source: 'status.jobStatus', text: 'STOPPED' }],
    action: 'Create the RayJob again to run it again.',
  };
}

/** One line about the job for the chain. */
export function jobSays({ status = {}, spec }: RayJob): string {
  const state = status.jobDeploymentStatus || 'not started';
  const tries =
    spec?.backoffLimit !== undefined && spec.backoffLimit > 0
      ? `, attempt ${(status.failed ?? 0) + 1} of ${spec.backoffLimit + 1}`
      : '';
  return `${state}${status.jobStatus === undefined || status.jobStatus === '' ? '' : `, Ray says ${status.jobStatus}`}${tries}`;
}

/** What the job itself tells while it has not ended. */
function underWay(ref: RayRef, job: RayJob, world: World): Cause | undefined {
  const { status = {}, spec } = job;
  const selected = spec?.clusterSelector?.[Label.Cluster];
  if (
    selected !== undefined &&
    world.rayClusters.kind === 'seen' &&
    find(world.rayClusters, ref.namespace, selected) === undefined
  )
    return {
      code: 'ClusterNotFound',
      object: ref,
      sentence: `${refText(ref)} is to run on RayCluster ${selected}, which does not exist`,
      evidence: [{ object: ref, source: 'spec.clusterSelector', text: selected }],
      action: `Create RayCluster ${selected} in namespace ${ref.namespace}, or correct spec.clusterSelector.`,
    };
  if (
    status.jobDeploymentStatus === JobDeploymentStatus.Waiting ||
    (spec?.submissionMode === JobSubmissionMode.Interactive &&
      status.jobStatus === undefined &&
      status.jobDeploymentStatus === JobDeploymentStatus.Running)
  )
    return {
      code: 'WaitingForUser',
      object: ref,
      sentence: `${refText(ref)} waits until a user submits the job (submissionMode: InteractiveMode)`,
      evidence: [{ object: ref, source: 'status.jobDeploymentStatus', text: 'Waiting' }],
      action: `Submit it: kubectl ray job submit --name ${ref.name} --working-dir DIR -- COMMAND`,
    };
  const refused =
    (status.rayClusterName ?? '') === '' || status.jobDeploymentStatus !== JobDeploymentStatus.Running
      ? (createRefused(ref, world) ?? ((status.jobDeploymentStatus ?? '') === '' ? invalidSpec(ref, world) : undefined))
      : undefined;
  return refused ?? unanswered(ref, job, world) ?? pending(ref, job, world);
}

function startingJob(ref: RayRef, job: RayJob): Cause {
  const text = job.status?.jobDeploymentStatus || 'not started';
  return {
    code: 'JobStarting',
    object: ref,
    sentence: `${refText(ref)} is ${text.toLowerCase()}, and nothing is known to block it`,
    evidence: [{ object: ref, source: 'status.jobDeploymentStatus', text }],
    action: 'Wait.',
    isProgress: true,
  };
}

function unanswered(ref: RayRef, { status = {} }: RayJob, world: World): Cause | undefined {
  const since = timeMs(status.jobStatusCheckFailureStartTime);
  if (since === undefined) return undefined;
  return {
    code: 'DashboardUnreachable',
    object: ref,
    sentence: `the operator has not reached the Ray dashboard of ${refText(ref)} for ${Math.round((world.now - since) / 1000)} s`,
    evidence: [
      {
        object: ref,
        source: 'status.jobStatusCheckFailureStartTime',
        text: status.jobStatusCheckFailureStartTime ?? '',
      },
    ],
    action: 'Look at the head pod and at network policies between the operator and the head.',
  };
}

const PENDING_MS = 30_000;

function pending(ref: RayRef, { status = {}, metadata }: RayJob, world: World): Cause | undefined {
  const answer = world.ray.get(`${ref.namespace}/${status.rayClusterName}`)?.jobs?.[status.jobId ?? ''];
  if (status.jobStatus !== RayJobState.Pending || ageMs(world, { metadata: metadata ?? {} }) < PENDING_MS)
    return undefined;
  const message = answer?.message || status.message || '';
  if (!/resource|waiting/i.test(message)) return undefined;
  return {
    code: 'JobWaitingForResources',
    object: ref,
    sentence: `Ray has not started the entrypoint of ${refText(ref)}: ${brief(message)}`,
    evidence: [{ object: ref, source: "Ray's job message", text: brief(message) }],
    action: 'Lower entrypointNumCpus, entrypointNumGpus or entrypointResources, or give the cluster such a node.',
  };
}

function clusterFindings({ status = {}, metadata }: RayJob, world: World): readonly Found[] {
  const cluster = find(world.rayClusters, metadata?.namespace, status.rayClusterName ?? '');
  return cluster === undefined ? [] : clusterCauses(cluster, world);
}

/** The submitter Job has the name of the RayJob; its pods carry the Job's label. */
function submitterFindings(ref: RayRef, job: RayJob, world: World): readonly Found[] {
  const submitter = itemsOf(world.jobs).find(({ metadata }) =>
    metadata?.ownerReferences?.some(({ uid }) => uid === job.metadata?.uid),
  );
  if (submitter === undefined) return [];
  const object = refOf('Job', submitter);
  const link = { object, says: 'submitter' };
  const event = eventsOf(world, object).find(({ reason }) => reason === 'FailedCreate');
  const pods = itemsOf(world.pods).filter(({ metadata }) =>
    metadata?.ownerReferences?.some(({ uid }) => uid === submitter.metadata?.uid),
  );
  if (pods.length === 0 && event !== undefined) {
    const cause = refusalCause(
      ref,
      event.note ?? '',
      { object, source: 'event FailedCreate', text: brief(event.note) },
      world,
    );
    return [{ links: [link], cause }];
  }
  return pods.flatMap((pod) => {
    const cause = podCause(pod, world);
    return cause === undefined ? [] : [{ links: [link, podLink(pod)], cause: asSubmitter(cause) }];
  });
}

function podLink(pod: Pod) {
  return { object: refOf('Pod', pod), says: podSays(pod) };
}

/** A submitter that ended with an error has printed what Ray answered. */
function asSubmitter(cause: Cause): Cause {
  if (cause.code !== 'ContainerFailed' && cause.code !== 'CrashLoop') return cause;
  return {
    ...cause,
    code: 'SubmitterFailed',
    sentence: `the submitter failed: ${cause.sentence}`,
    action: 'Read its last lines: the head may not answer, or Ray refused the job.',
  };
}
