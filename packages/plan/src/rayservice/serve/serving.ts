import { ApplicationStatus, DeploymentStatus, isConditionTrue, NodeType, RayClusterConditionType } from '@manta/api';
import type { PodRecord } from '../../raycluster/observed.ts';
import type { HeadMemory, ServiceCluster } from '../observed.ts';
import { nameOf, type AssignedCluster, type ServiceState } from '../service-state.ts';

/** The cluster's one head pod; undefined when there is none, or more than one. */
export function headPodOf({ pods }: Pick<ServiceCluster, 'pods'>): PodRecord | undefined {
  const heads = pods.filter(({ nodeType, isTerminating }) => nodeType === NodeType.Head && !isTerminating);
  return heads.length === 1 ? heads[0] : undefined;
}

/** Whether the head can be talked to. */
export function isHeadReady({ context }: Pick<ServiceState, 'context'>, view: ServiceCluster): boolean {
  const head = headPodOf(view);
  // The cluster's word may come before we have seen the pod, and then nobody knows which life of the head is meant.
  if (head === undefined) return false;
  if (context.gates.RayClusterStatusConditions) {
    return isConditionTrue(view.cluster.status?.conditions, RayClusterConditionType.HeadPodReady);
  }
  return head.phase === 'Running' && head.ready === 'True';
}

/** What is remembered of the cluster's head in its present life. */
export function headMemory({ memory, now }: Pick<ServiceState, 'memory' | 'now'>, view: ServiceCluster): HeadMemory {
  const known = memory.heads[nameOf(view)];
  if (known?.session === view.session) return clampToNow(known, now);
  return { session: view.session, failedAttempts: 0, backoffUntil: 0, last: known?.taken ?? known?.last };
}

/** A clock that was set back leaves nothing behind that has yet to come: no answer would be newer, and no pause would end. */
function clampToNow(head: HeadMemory, now: number): HeadMemory {
  const { taken } = head;
  const backoffUntil = head.backoffUntil - now > MAX_BACKOFF_MS ? now : head.backoffUntil;
  if (taken === undefined || taken.at <= now) return { ...head, backoffUntil };
  return { ...head, backoffUntil: Math.min(backoffUntil, now), taken: { ...taken, at: now } };
}

/** The longest pause between two attempts to give a head its configuration. */
export const MAX_BACKOFF_MS = 10_000;

/** Whether Serve has applications and all of them run. */
export function areApplicationsRunning({ serve }: ServiceCluster): boolean {
  if (serve.kind !== 'known') return false;
  const applications = Object.values(serve.applications);
  return applications.length > 0 && applications.every(({ status }) => status === ApplicationStatus.Running);
}

/**
 * Whether Serve reports that no request can be answered: it has no application, or all applications failed to deploy and none has a deployment
 * of an earlier configuration left, as after the loss of a head. Unknown counts as able to serve. A deployment is UNHEALTHY as soon as one
 * of its replicas fails, so the status alone does not show that none is left: a replica that takes requests outweighs the status.
 */
export function hasNothingToServe({ serve }: Pick<ServiceCluster, 'serve'>): boolean {
  if (serve.kind !== 'known') return false;
  return Object.entries(serve.applications).every(
    ([name, { status, serveDeploymentStatuses = {} }]) =>
      status === ApplicationStatus.DeployFailed &&
      (serve.servingReplicas?.get(name) ?? 0) === 0 &&
      Object.values(serveDeploymentStatuses).every((deployment) => FAILED.includes(deployment.status ?? '')),
  );
}

/** Whether Serve reports a running application, a replica that takes requests, or a healthy deployment of an earlier configuration. */
export function answersSomething({ serve }: Pick<ServiceCluster, 'serve'>): boolean {
  if (serve.kind !== 'known') return false;
  return Object.entries(serve.applications).some(
    ([name, { status, serveDeploymentStatuses = {} }]) =>
      status === ApplicationStatus.Running ||
      (serve.servingReplicas?.get(name) ?? 0) > 0 ||
      Object.values(serveDeploymentStatuses).some((deployment) => deployment.status === DeploymentStatus.Healthy),
  );
}

/** Statuses of deployments that may have lost every replica. */
const FAILED: readonly string[] = [DeploymentStatus.Unhealthy, ApplicationStatus.DeployFailed];

/** How many pods would take traffic if it came: ready, meant for it, and, as far as we asked, able to. */
export function servingPods(view: ServiceCluster): number {
  return selectedPods(view).filter(({ nodeType }) => nodeType !== NodeType.Head || view.isProxyHealthy !== false)
    .length;
}

/** The ready pods that a serve Service of this cluster leads to. */
export function selectedPods({ pods }: Pick<ServiceCluster, 'pods'>): readonly PodRecord[] {
  return pods.filter((pod) => pod.ready === 'True' && pod.serveLabel === 'true' && !pod.isTerminating);
}

/**
 * Whether a cluster serves what it was told last: its head took the configuration that is wanted, and said afterwards that every application
 * runs.
 */
export function isServing(state: ServiceState, { view }: AssignedCluster, wantedText: string): boolean {
  if (view === undefined || !isHeadReady(state, view) || !areApplicationsRunning(view)) return false;
  const { taken, sent } = headMemory(state, view);
  if (taken === undefined || sent !== undefined || taken.text !== wantedText) return false;
  return view.serve.kind === 'known' && view.serve.at >= taken.at;
}
