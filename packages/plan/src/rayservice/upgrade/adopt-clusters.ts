import { Label, type RayServiceStatus, type RayServiceStatuses, serviceNames } from '@manta/api';
import { weightOf } from '../../build/http-route.ts';
import type { ServiceCluster } from '../observed.ts';
import { nameOf, type ServiceState } from '../service-state.ts';
import { isInitializingTimedOut } from '../status/initializing-timeout.ts';

/**
 * The status of a service that lost it, e.g. when it was restored from a backup: the service adopts its running clusters, and the cluster
 * that gets the traffic becomes active. Undefined when there is nothing to adopt, or when the initializing timeout removed the names.
 */
export function adoptedStatus(state: ServiceState): RayServiceStatuses | undefined {
  const { active, pending, lastStatus } = state;
  const running = state.clusters.filter(({ cluster }) => cluster.metadata?.deletionTimestamp === undefined);
  if (active.name !== '' || pending.name !== '' || isInitializingTimedOut(state) || running.length === 0) {
    return undefined;
  }
  const byWeights = clustersInRoute(state, running);
  if (byWeights !== undefined) return { ...lastStatus, ...byWeights };
  const serving = running.find((view) => nameOf(view) === selectedCluster(state));
  if (serving !== undefined) return { ...lastStatus, activeServiceStatus: { rayClusterName: nameOf(serving) } };
  const [newest] = running.toSorted((a, b) => createdAt(b) - createdAt(a));
  return newest === undefined ? undefined : { ...lastStatus, pendingServiceStatus: firstPending(state, newest) };
}

/** The clusters that the HTTPRoute of an incremental service names, with their traffic weights. The active one comes first in a route. */
function clustersInRoute(state: ServiceState, running: readonly ServiceCluster[]): RayServiceStatuses | undefined {
  const { gatewayApi, strategy } = state;
  if (strategy.kind !== 'incremental' || gatewayApi.kind !== 'available' || gatewayApi.route === undefined) {
    return undefined;
  }
  const { route } = gatewayApi;
  const [active, pending] = (route.spec?.rules ?? [])
    .flatMap(({ backendRefs = [] }) => backendRefs)
    .flatMap(({ name }) => running.find((view) => serviceNames.serve(nameOf(view)) === name) ?? []);
  if (active === undefined) return undefined;
  const statusOf = (view: ServiceCluster, targetCapacity: (weight: number) => number): RayServiceStatus => {
    const weight = weightOf(route, nameOf(view)) ?? 0;
    return { rayClusterName: nameOf(view), targetCapacity: targetCapacity(weight), trafficRoutedPercent: weight };
  };
  return {
    activeServiceStatus: statusOf(active, () => 100),
    ...(pending === undefined ? {} : { pendingServiceStatus: statusOf(pending, (weight) => weight) }),
  };
}

/** The cluster that the RayService's own Kubernetes Services select. */
function selectedCluster({ kubeServices, name, spec }: ServiceState): string | undefined {
  const names = [serviceNames.serve(name, spec.serveService?.metadata?.name), serviceNames.head(name)];
  return names
    .map((each) => kubeServices.get(each)?.spec?.selector?.[Label.Cluster])
    .find((cluster) => cluster !== undefined);
}

function firstPending({ strategy }: ServiceState, view: ServiceCluster): RayServiceStatus {
  return { rayClusterName: nameOf(view), ...(strategy.kind === 'incremental' ? { targetCapacity: 100 } : {}) };
}

function createdAt({ cluster }: ServiceCluster): number {
  return Date.parse(cluster.metadata?.creationTimestamp ?? '') || 0;
}
