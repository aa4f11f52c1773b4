import { ApplicationStatus, DeploymentStatus, RayServiceEventReason as Event, type RayServiceStatus } from '@manta/api';
import { type Action, warning } from '../../plan.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';
import { fullName } from '../service-state.ts';
import { type FailingApplication, firstFailingApplication } from './failure-reason.ts';

/** For the Ready condition of a service with endpoints: which application of the active cluster fails, and what serves instead. */
export function applicationTrouble(active: AssignedCluster, status: RayServiceStatus): string | undefined {
  const failing = firstFailingApplication(status);
  return failing === undefined ? undefined : inWords(active, status, failing);
}

/** Warns when an application begins to fail. The stored status tells which ones have been reported. */
export function warnAboutApplication(
  state: ServiceState,
  cluster: AssignedCluster,
  status: RayServiceStatus,
): readonly Action[] {
  const failing = firstFailingApplication(status);
  const before = firstFailingApplication(cluster.status);
  if (failing === undefined || (before?.name === failing.name && before.status === failing.status)) return [];
  const note = `RayCluster ${fullName(state, cluster.name)}: ${inWords(cluster, status, failing)}`;
  return [{ type: 'event', event: warning(Event.ServeApplicationFailed, 'Reconcile', note) }];
}

function inWords(cluster: AssignedCluster, status: RayServiceStatus, failing: FailingApplication): string {
  const { name, sentence } = failing;
  return servesEarlierVersion(cluster, status, failing)
    ? `an earlier version of application ${name} serves, since ${sentence}`
    : sentence;
}

/** A configuration that cannot be deployed leaves the deployments of the one before in place. */
function servesEarlierVersion(
  { view }: AssignedCluster,
  status: RayServiceStatus,
  { name, ...failing }: FailingApplication,
): boolean {
  if (failing.status !== ApplicationStatus.DeployFailed || view?.serve.kind !== 'known') return false;
  if ((view.serve.servingReplicas?.get(name) ?? 0) > 0) return true;
  const deployments = Object.values(status.applicationStatuses?.[name]?.serveDeploymentStatuses ?? {});
  return deployments.some((deployment) => deployment.status === DeploymentStatus.Healthy);
}
