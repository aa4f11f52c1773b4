import { ApplicationStatus, DeploymentStatus, isConditionTrue, NodeType, RayClusterConditionType } from '@manta/api';
import type { PodRecord } from '../../raycluster/observed.ts';
import { headMemoryOf } from '../memory.ts';
import type { ServiceCluster } from '../observed.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';

/** The cluster's one head pod; undefined when there is none, or more than one. */
export function headPodOf({ pods }: Pick<ServiceCluster, 'pods'>): PodRecord | undefined {
  const heads = pods.filter(({ nodeType, isTerminating }) => nodeType === NodeType.Head && !isTerminating);
  return heads.length === 1 ? heads[0] : undefined;
}

/** Whether the head can answer requests to its dashboard. */
export function isHeadReady({ context }: Pick<ServiceState, 'context'>, view: ServiceCluster): boolean {
  const head = headPodOf(view);
  // The cluster's condition may arrive before its pod; then it is unknown which run of the head the condition describes.
  if (head === undefined) return false;
  if (context.gates.RayClusterStatusConditions) {
    return isConditionTrue(view.cluster.status?.conditions, RayClusterConditionType.HeadPodReady);
  }
  return head.phase === 'Running' && head.ready === 'True';
}

/** Whether Serve reports at least one application, and every application is RUNNING. */
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

/** The number of pods that can take requests: ready, selected by the serve Service, and on the head with a proxy that is not known to fail. */
export function servingPods(view: ServiceCluster): number {
  return selectedPods(view).filter(({ nodeType }) => nodeType !== NodeType.Head || view.isProxyHealthy !== false)
    .length;
}

/** The ready pods that a serve Service of this cluster selects. */
export function selectedPods({ pods }: Pick<ServiceCluster, 'pods'>): readonly PodRecord[] {
  return pods.filter((pod) => pod.ready === 'True' && pod.serveLabel === 'true' && !pod.isTerminating);
}

/** Whether a cluster serves the desired configuration: its head accepted it, and reported afterwards that every application runs. */
export function isServing(state: ServiceState, { view }: AssignedCluster, desiredText: string): boolean {
  if (view === undefined || !isHeadReady(state, view) || !areApplicationsRunning(view)) return false;
  const { accepted, inFlight } = headMemoryOf(state, view);
  if (accepted === undefined || inFlight !== undefined || accepted.text !== desiredText) return false;
  return view.serve.kind === 'known' && view.serve.at >= accepted.at;
}
