import {
  isConditionTrue,
  JobDeploymentStatus,
  JobSubmissionMode,
  RayClusterConditionType,
  type RayJobStatus,
} from '@manta/api';
import { headInStatus } from '../../raycluster/head-name.ts';
import { recordRerun, withHeadRestarts } from '../attempts.ts';
import { createOrRequireCluster } from '../cluster.ts';
import { copyClusterStatus, EMPTY_CLUSTER_STATUS } from '../cluster-status-copy.ts';
import { planJobGang } from '../gang.ts';
import {
  failAfterClusterLoss,
  hasHadReadyHead,
  headRestarts,
  isHeadless,
  isHeadRunning,
  isSidecarHeadReplaced,
} from '../head.ts';
import { fullName } from '../../shared/names.ts';
import type { JobState } from '../state.ts';
import { type Changes, firstStep, move, type Policy, type Step, stay } from '../step.ts';
import { submitterDashboard } from '../stop-job.ts';
import { createSubmitterJob, submitterState } from '../submitter.ts';
import {
  failPastActiveDeadline,
  failPastPreRunningDeadline,
  hasExpired,
  msToActiveDeadline,
  msToClusterLoss,
  msToPreRunningDeadline,
  soonest,
} from '../timers.ts';
import { clusterTrouble } from '../trouble.ts';

/** Decisions in order. The last one always applies. */
const POLICIES: readonly Policy[] = [
  suspendUnlessSidecarEnded,
  failPastDeadline,
  createMissingCluster,
  waitForReadyCluster,
  handOverToRay,
];

/** Initializing: creates the cluster, waits until it is ready and hands the job over: to Running, or to Waiting in InteractiveMode. */
export function initializeJob(state: JobState): Step {
  return firstStep(POLICIES, state) ?? stay();
}

function suspendUnlessSidecarEnded(state: JobState): Step | undefined {
  return state.spec.suspend === true && !hasSidecarEnded(state)
    ? move(state, { jobDeploymentStatus: JobDeploymentStatus.Suspending })
    : undefined;
}

/** Fails the job past a deadline, unless the job may have ended or may be running: then Ray is asked first, in state Running. */
function failPastDeadline(state: JobState): Step | undefined {
  return hasSidecarEnded(state) || mayBeRunning(state) ? undefined : deadlineFailure(state);
}

function deadlineFailure(state: JobState): Step | undefined {
  const { cluster, status } = state;
  // The failure is written at once, so it carries the cluster's latest status, which may have waited for a debounced write.
  const current =
    cluster === undefined ? state : { ...state, status: { ...status, rayClusterStatus: copyClusterStatus(state) } };
  return failPastActiveDeadline(current) ?? failPastPreRunningDeadline(current);
}

function msToDeadline(state: JobState): number | undefined {
  return soonest(msToActiveDeadline(state), msToPreRunningDeadline(state));
}

/**
 * Creates the job's cluster. In SidecarMode a former head of the cluster may have run the job: after a ready head the attempt fails, and
 * otherwise a possible second run is recorded before the cluster is created again.
 */
function createMissingCluster(state: JobState): Step | undefined {
  const { mode, status, cluster, isClusterUncreated } = state;
  if (cluster !== undefined) return undefined;
  const requeueAfterMs = msToDeadline(state);
  if (mode !== JobSubmissionMode.Sidecar || isClusterUncreated)
    return stay(createOrRequireCluster(state), requeueAfterMs);
  if (msToClusterLoss(state) > 0) return stay([], soonest(msToClusterLoss(state), requeueAfterMs));
  if (hasHadReadyHead(status.rayClusterStatus)) return failAfterClusterLoss(state);
  const name = fullName(state, status.rayClusterName ?? '');
  const why = `RayCluster ${name} is not there, and may have run job ${status.jobId} before: it is made again, and runs the job`;
  return { ...recordRerun(state, why, { rayClusterStatus: EMPTY_CLUSTER_STATUS }), namesNewCluster: true };
}

/** Until the cluster is ready, the status shows its progress and what blocks it. A job past its deadline does not wait. */
function waitForReadyCluster(state: JobState): Step | undefined {
  const isReady = isUsable(state) && !isHeadUnnamed(state);
  if (isReady || deadlineFailure(state) !== undefined) return undefined;
  const fields = { rayClusterStatus: copyClusterStatus(state), message: clusterTrouble(state) };
  return withGang(state, moveOnReplacedHead(state, fields));
}

/** Records the dashboard's address and moves the job to Running or Waiting. In K8sJobMode it creates the submitter. */
function handOverToRay(state: JobState): Step {
  const { status, address } = state;
  const dashboardURL = status.dashboardURL ?? (address.isFound ? address.address : undefined);
  return withGang(
    state,
    dashboardURL === undefined
      ? stay([{ type: 'abort', message: address.isFound ? '' : address.why }])
      : handOver(state, dashboardURL),
  );
}

function handOver(state: JobState, dashboardURL: string): Step {
  const ready = { dashboardURL, message: undefined };
  const running = { ...ready, jobDeploymentStatus: JobDeploymentStatus.Running };
  switch (state.mode) {
    case JobSubmissionMode.Interactive:
      return move(state, { ...ready, jobDeploymentStatus: JobDeploymentStatus.Waiting });
    case JobSubmissionMode.Sidecar:
      return moveOnReplacedHead(state, running);
    case JobSubmissionMode.HTTP:
      return move(state, { ...running, ...targetHead(state) });
    case JobSubmissionMode.K8sJob:
      // The write carries the copy of the cluster's status: otherwise a second write would follow immediately.
      return move(
        state,
        { ...running, rayClusterStatus: copyClusterStatus(state) },
        createSubmitterJob(state, dashboardURL),
      );
    default:
      return move(state, { ...running, rayClusterStatus: copyClusterStatus(state) });
  }
}

/** HTTPMode: the head that the job is submitted to is recorded before the submission. */
function targetHead(state: JobState): Pick<RayJobStatus, 'rayClusterStatus' | 'attempts'> {
  const { attempts } = state.status;
  return {
    rayClusterStatus: copyClusterStatus(state),
    ...(attempts === undefined ? {} : { attempts: withHeadRestarts(attempts, headRestarts(state)) }),
  };
}

/** The pod group is created and updated until the job runs. */
function withGang(state: JobState, step: Step): Step {
  const actions = [...planJobGang(state, state.cluster), ...step.actions];
  return { ...step, actions, requeueAfterMs: msToDeadline(state) };
}

/** Changes the status. If a head that may have run the job was replaced, the same write records the second run. */
function moveOnReplacedHead(state: JobState, fields: Changes): Step {
  if (!isSidecarHeadReplaced(state)) return move(state, fields);
  return recordRerun(state, whyJobRunsAgain(state), { ...fields, rayClusterStatus: copyClusterStatus(state) });
}

function whyJobRunsAgain(state: JobState): string {
  const { status, cluster } = state;
  const before = status.rayClusterStatus?.head?.podName;
  const current = headInStatus(cluster?.status) ?? '';
  const owner = `of RayCluster ${fullName(state, status.rayClusterName ?? '')}`;
  return before === undefined || before === current
    ? `Ray was restarted in head Pod ${current} ${owner}, and may run job ${status.jobId} once more`
    : `Head Pod ${before} ${owner} was replaced by ${current}, which runs job ${status.jobId} once more`;
}

function isUsable(state: JobState): boolean {
  const { cluster, status } = state;
  const isReady = cluster?.status?.state === 'ready' || status.dashboardURL !== undefined;
  return isReady || hasSidecarEnded(state) || hasLostOnlyHead(state);
}

/** A provisioned cluster gets no second head that submits, so nothing else will change. */
function hasLostOnlyHead(state: JobState): boolean {
  const isProvisioned = isConditionTrue(state.cluster?.status?.conditions, RayClusterConditionType.Provisioned);
  return isSidecarReachable(state) && isProvisioned && isHeadless(state);
}

/**
 * A sidecar submitter may end before the last worker is ready. Its head pod is then no longer ready and the cluster never will be, but the
 * job has run: ask Ray before deciding.
 */
function hasSidecarEnded(state: JobState): boolean {
  return isSidecarReachable(state) && ['finished', 'failed'].includes(submitterState(state).kind);
}

/** Whether a job past its deadline may run: a sidecar submits early, and a submitter Job may exist that the status does not record. */
function mayBeRunning(state: JobState): boolean {
  if (submitterDashboard(state) !== undefined) return true;
  return isSidecarReachable(state) && hasExpired(msToActiveDeadline(state)) && isHeadRunning(state);
}

function isSidecarReachable({ mode, cluster, address }: JobState): boolean {
  return mode === JobSubmissionMode.Sidecar && cluster !== undefined && address.isFound;
}

/**
 * HTTPMode records the head's name, so it waits for the name of a head that was just replaced. RayCluster CRDs before KubeRay 1.2 have no
 * fields for the names of head and Service: then the operator does not wait.
 */
function isHeadUnnamed({ mode, cluster }: JobState): boolean {
  const hasNames = cluster?.status?.head?.serviceName !== undefined;
  return mode === JobSubmissionMode.HTTP && hasNames && !headInStatus(cluster?.status);
}
