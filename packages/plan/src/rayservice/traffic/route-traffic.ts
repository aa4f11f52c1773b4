import type { Action } from '../../plan.ts';
import type { ServiceState } from '../service-state.ts';
import type { UpgradeDecision } from '../upgrade/promotion.ts';
import { resetAdoptedRoute } from './adopted-route.ts';
import { deleteGatewayRouting, planGatewayRouting } from './gateway.ts';
import { planOwnServices, planPerClusterServices } from './kube-services.ts';

/** Kubernetes Services, and with the incremental strategy a Gateway and an HTTPRoute with the traffic weights of both clusters. */
export function routeTraffic(state: ServiceState, { target }: UpgradeDecision): readonly Action[] {
  const { strategy, active, pending } = state;
  const own = target === undefined ? [] : planOwnServices(state, target);
  if (strategy.kind === 'incremental') {
    const perCluster = planPerClusterServices(state, [active.view, pending.view]);
    return [...perCluster, ...planGatewayRouting(state, strategy.options), ...own];
  }
  if (target === undefined) return [];
  // Gateway and route of a former incremental strategy are deleted only after the Services select the right cluster.
  const areServicesCurrent = own.every(({ type }) => type === 'event');
  return areServicesCurrent ? [...own, ...resetAdoptedRoute(state, target), ...deleteGatewayRouting(state)] : own;
}
