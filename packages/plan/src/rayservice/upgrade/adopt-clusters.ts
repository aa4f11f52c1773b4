import { Label, type RayServiceStatus, type RayServiceStatuses, serviceNames } from '@manta/api';
import { weightOf } from '../../build/http-route.ts';
import { conditionOf, Reason, Type } from '../status/set-condition.ts';
import type { ServiceCluster } from '../observed.ts';
import { nameOf, type ServiceState } from '../service-state.ts';

/**
 * The status of a service that has lost it, say in a restore from a backup, read off the clusters that run for it: the one that has the
 * traffic is the active one. Undefined where there is nothing to find, or names were taken out on purpose.
 */
export function adoptRunningClusters(state: ServiceState): RayServiceStatuses | undefined {
  const { active, pending, before } = state;
  const hasGivenUp = conditionOf(before.conditions, Type.Ready)?.reason === Reason.InitializingTimeout;
  const living = state.clusters.filter(({ cluster }) => cluster.metadata?.deletionTimestamp === undefined);
  if (active.name !== '' || pending.name !== '' || hasGivenUp || living.length === 0) return undefined;
  const routed = byTraffic(state, living);
  if (routed !== undefined) return { ...before, ...routed };
  const serving = living.find((view) => nameOf(view) === selectedCluster(state));
  if (serving !== undefined) return { ...before, activeServiceStatus: { rayClusterName: nameOf(serving) } };
  const [newest] = living.toSorted((a, b) => bornAt(b) - bornAt(a));
  return newest === undefined ? undefined : { ...before, pendingServiceStatus: firstOf(state, newest) };
}

/** The clusters that a route gives traffic to, the active one first. */
function byTraffic(state: ServiceState, living: readonly ServiceCluster[]): RayServiceStatuses | undefined {
  const { gatewayApi, strategy } = state;
  if (strategy.kind !== 'incremental' || gatewayApi.kind !== 'available' || gatewayApi.route === undefined)
    return undefined;
  const { route } = gatewayApi;
  const named = (route.spec?.rules ?? [])
    .flatMap(({ backendRefs = [] }) => backendRefs)
    .flatMap(({ name }) => living.find((view) => serviceNames.serve(nameOf(view)) === name) ?? []);
  const [active, pending] = named;
  if (active === undefined) return undefined;
  const side = (view: ServiceCluster, targetCapacity: (weight: number) => number): RayServiceStatus => {
    const weight = weightOf(route, nameOf(view)) ?? 0;
    return { rayClusterName: nameOf(view), targetCapacity: targetCapacity(weight), trafficRoutedPercent: weight };
  };
  return {
    activeServiceStatus: side(active, () => 100),
    ...(pending === undefined ? {} : { pendingServiceStatus: side(pending, (weight) => weight) }),
  };
}

/** The cluster that the service's own Services lead to. */
function selectedCluster({ services, name, spec }: ServiceState): string | undefined {
  const names = [serviceNames.serve(name, spec.serveService?.metadata?.name), serviceNames.head(name)];
  return names.map((each) => services.get(each)?.spec?.selector?.[Label.Cluster]).find((each) => each !== undefined);
}

function firstOf({ strategy }: ServiceState, view: ServiceCluster): RayServiceStatus {
  return { rayClusterName: nameOf(view), ...(strategy.kind === 'incremental' ? { targetCapacity: 100 } : {}) };
}

function bornAt({ cluster }: ServiceCluster): number {
  return Date.parse(cluster.metadata?.creationTimestamp ?? '') || 0;
}
