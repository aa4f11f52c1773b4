import {
  isConditionTrue,
  JobDeploymentStatus,
  JobSubmissionMode,
  RayClusterConditionType,
  type RayJobStatus,
} from '@manta/api';
import { headInStatus } from '../raycluster/head-name.ts';
import { tellOfAnotherRun } from './another-run.ts';
import { onHead } from './attempts.ts';
import { planMissingCluster } from './cluster.ts';
import {
  isOver,
  msToActiveDeadline,
  msToPreRunningDeadline,
  pastActiveDeadline,
  pastPreRunningDeadline,
} from './deadlines.ts';
import { planJobGang } from './gang.ts';
import { headRestarts } from './head-session.ts';
import { hasHadHead, isHeadless, isHeadReplaced, msToLoss, withoutHeadToRunIn } from './lost-head.ts';
import { mirrored, NO_CLUSTER_STATUS } from './mirror.ts';
import { type Changes, move, type Step, stay } from './step.ts';
import { submittersHead } from './stop.ts';
import { fullName, type Subject } from './subject.ts';
import { planSubmitterJob, submitterOf } from './submitter.ts';
import { soonest } from './times.ts';
import { troubleOf } from './trouble.ts';

/** Brings the cluster up; when it is ready the job is handed over. */
export function initialize(subject: Subject): Step {
  const { spec, cluster } = subject;
  // What may have run to its end from within the head is Ray's to tell, before a suspension or a deadline ends it.
  const isDone = isSidecarDone(subject);
  if (spec.suspend === true && !isDone) return move(subject, { jobDeploymentStatus: JobDeploymentStatus.Suspending });
  const late = pastActiveDeadline(shown(subject)) ?? pastPreRunningDeadline(shown(subject));
  if (late !== undefined && !isDone && !mayBeRunning(subject)) return late;
  const requeueAfterMs = soonest(msToActiveDeadline(subject), msToPreRunningDeadline(subject));
  if (cluster === undefined) return withoutCluster(subject, requeueAfterMs);
  const gang = planJobGang(subject, cluster);
  if (late === undefined && (!isUsable(subject) || isHeadUnnamed(subject))) {
    const told = onAnotherHead(subject, { rayClusterStatus: mirrored(subject), message: troubleOf(subject) });
    return { ...told, actions: [...gang, ...told.actions], requeueAfterMs };
  }
  const step = handOver(subject);
  return { ...step, actions: [...gang, ...step.actions], requeueAfterMs };
}

/** With the cluster's status as it is now: what waits to be shown goes along with what cannot wait. */
function shown(subject: Subject): Subject {
  const { cluster, status } = subject;
  return cluster === undefined ? subject : { ...subject, status: { ...status, rayClusterStatus: mirrored(subject) } };
}

function isUsable(subject: Subject): boolean {
  const { cluster, status } = subject;
  const isReady = cluster?.status?.state === 'ready' || status.dashboardURL !== undefined;
  return isReady || isSidecarDone(subject) || isOnlyHeadLost(subject);
}

/** A cluster that was there as a whole gets no second head that submits: nothing more is to come, whatever else its status lacks. */
function isOnlyHeadLost(subject: Subject): boolean {
  const isWhole = isConditionTrue(subject.cluster?.status?.conditions, RayClusterConditionType.Provisioned);
  return isInHead(subject) && isWhole && isHeadless(subject);
}

/**
 * A submitter inside the head pod may be done before the last worker has come. The head pod is then no longer ready and the cluster never
 * will be, but the job has run.
 */
function isSidecarDone(subject: Subject): boolean {
  return isInHead(subject) && ['finished', 'failed'].includes(submitterOf(subject).kind);
}

/**
 * The job's cluster is made, unless a head of it may have run the job from within: one that was ready has, as far as anybody can tell, and
 * of any other it is told first that there will be another one.
 */
function withoutCluster(subject: Subject, requeueAfterMs: number | undefined): Step {
  const { mode, status, isUnmade } = subject;
  if (mode !== JobSubmissionMode.Sidecar || isUnmade === true) return stay(planMissingCluster(subject), requeueAfterMs);
  if (msToLoss(subject) > 0) return stay([], soonest(msToLoss(subject), requeueAfterMs));
  if (hasHadHead(status.rayClusterStatus)) return withoutHeadToRunIn(subject);
  const cluster = fullName(subject, status.rayClusterName ?? '');
  const why = `RayCluster ${cluster} is not there, and may have run job ${status.jobId} before: it is made again, and runs the job`;
  return { ...tellOfAnotherRun(subject, why, { rayClusterStatus: NO_CLUSTER_STATUS }), isBeginning: true };
}

/** The job moves on; where the cluster itself has replaced a head that may have run it, that is told along with it: nobody was asked. */
function onAnotherHead(subject: Subject, fields: Changes): Step {
  if (!isHeadReplaced(subject)) return move(subject, fields);
  return tellOfAnotherRun(subject, whyOnceMore(subject), { ...fields, rayClusterStatus: mirrored(subject) });
}

function whyOnceMore(subject: Subject): string {
  const { status, cluster } = subject;
  const before = status.rayClusterStatus?.head?.podName;
  const current = headInStatus(cluster?.status) ?? '';
  const owner = `of RayCluster ${fullName(subject, status.rayClusterName ?? '')}`;
  return before === undefined || before === current
    ? `Ray was restarted in head Pod ${current} ${owner}, and may run job ${status.jobId} once more`
    : `Head Pod ${before} ${owner} was replaced by ${current}, which runs job ${status.jobId} once more`;
}

/**
 * Whether the time is over while the job may run, from within the head or by a submitter that nobody has written down: Ray is asked, and
 * then told to stop it.
 */
function mayBeRunning(subject: Subject): boolean {
  if (submittersHead(subject) !== undefined) return true;
  return (
    isInHead(subject) && isOver(msToActiveDeadline(subject)) && subject.heads.some(({ phase }) => phase === 'Running')
  );
}

function isInHead({ mode, cluster, address }: Subject): boolean {
  return mode === JobSubmissionMode.Sidecar && cluster !== undefined && address.isFound;
}

/**
 * A head that its cluster has just lost cannot be written down, and its successor will be named soon. CRDs before KubeRay 1.2 have room for
 * no name, neither of the head nor of its Service: there nobody waits for one.
 */
function isHeadUnnamed({ mode, cluster }: Subject): boolean {
  const hasNames = cluster?.status?.head?.serviceName !== undefined;
  return mode === JobSubmissionMode.HTTP && hasNames && !headInStatus(cluster?.status);
}

function handOver(subject: Subject): Step {
  const { status, mode, address } = subject;
  const found = status.dashboardURL ?? (address.isFound ? address.address : undefined);
  if (found === undefined) return stay([{ type: 'abort', message: address.isFound ? '' : address.why }]);
  const ready = { dashboardURL: found, message: undefined };
  if (mode === JobSubmissionMode.Interactive)
    return move(subject, { ...ready, jobDeploymentStatus: JobDeploymentStatus.Waiting });
  const handed = { ...ready, jobDeploymentStatus: JobDeploymentStatus.Running };
  if (mode === JobSubmissionMode.Sidecar) return onAnotherHead(subject, handed);
  // Which head the job goes to is written down before it goes there.
  // With a submitter, the copy of the cluster's status goes along: a write of its own would follow at once.
  const head = mode === JobSubmissionMode.HTTP ? toHead(subject) : { rayClusterStatus: mirrored(subject) };
  const actions = mode === JobSubmissionMode.K8sJob ? planSubmitterJob(subject, found) : [];
  return move(subject, { ...handed, ...head }, actions);
}

function toHead(subject: Subject): Pick<RayJobStatus, 'rayClusterStatus' | 'attempts'> {
  const { attempts } = subject.status;
  return {
    rayClusterStatus: mirrored(subject),
    ...(attempts === undefined ? {} : { attempts: onHead(attempts, headRestarts(subject)) }),
  };
}
