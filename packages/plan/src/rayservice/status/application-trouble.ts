import { ApplicationStatus, DeploymentStatus, RayServiceEventReason as Event, type RayServiceStatus } from '@manta/api';
import { type Action, warning } from '../../plan.ts';
import type { ServiceMemory } from '../memory.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';
import { fullName } from '../service-state.ts';
import { conditionOf, Type } from './set-condition.ts';
import { type FailingApplication, firstFailingApplication } from './failure-reason.ts';

/** For the Ready condition of a service with endpoints: which application of the active cluster fails, and what serves instead. */
export function applicationTrouble(
  state: ServiceState,
  active: AssignedCluster,
  status: RayServiceStatus,
): string | undefined {
  const failing = firstFailingApplication(status);
  return failing === undefined ? undefined : inWords(state, active, status, failing);
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
  const note = `RayCluster ${fullName(state, cluster.name)}: ${inWords(state, cluster, status, failing)}`;
  return [{ type: 'event', event: warning(Event.ServeApplicationFailed, 'Reconcile', note) }];
}

function inWords(
  state: ServiceState,
  cluster: AssignedCluster,
  status: RayServiceStatus,
  failing: FailingApplication,
): string {
  const { name, sentence } = failing;
  return servesEarlierVersion(state, cluster, status, failing)
    ? `${earlierVersion(name)}, since ${sentence}`
    : sentence;
}

function earlierVersion(application: string): string {
  return `an earlier version of application ${application} serves`;
}

/**
 * A configuration that cannot be deployed leaves the deployments of the one before in place. If its code cannot be imported, Serve does not
 * list them: then an application that ran since the start of its head still runs. The stored condition outlives a restart of the operator.
 */
function servesEarlierVersion(
  { memory, lastStatus }: ServiceState,
  { view }: AssignedCluster,
  status: RayServiceStatus,
  { name, ...failing }: FailingApplication,
): boolean {
  if (failing.status !== ApplicationStatus.DeployFailed || view?.serve.kind !== 'known') return false;
  if ((view.serve.servingReplicas?.get(name) ?? 0) > 0) return true;
  const deployments = Object.values(status.applicationStatuses?.[name]?.serveDeploymentStatuses ?? {});
  if (deployments.length === 0) {
    const reported = conditionOf(lastStatus.conditions, Type.Ready)?.message ?? '';
    return memory.ranApplications?.[view.session]?.includes(name) === true || reported.includes(earlierVersion(name));
  }
  return deployments.some((deployment) => deployment.status === DeploymentStatus.Healthy);
}

/**
 * Applications that Serve has reported as running since the start of their head, this observation included. Those that Serve lists no more
 * are left out: a head that invents names must not fill the operator's memory.
 */
export function rememberRunning({
  active,
  pending,
  memory,
}: ServiceState): NonNullable<ServiceMemory['ranApplications']> {
  const views = [active.view, pending.view].filter((view) => view !== undefined);
  return Object.fromEntries(
    views.map(({ session, serve }) => {
      const before = memory.ranApplications?.[session] ?? [];
      if (serve.kind !== 'known') return [session, before];
      const known = new Set(before);
      const listed = Object.entries(serve.applications);
      const ran = listed.filter(([name, { status }]) => status === ApplicationStatus.Running || known.has(name));
      return [session, ran.map(([name]) => name)];
    }),
  );
}
