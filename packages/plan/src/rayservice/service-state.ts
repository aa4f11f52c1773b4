import {
  isConditionTrue,
  type RayService,
  RayServiceConditionType,
  type RayServiceSpec,
  type RayServiceStatus,
  type RayServiceStatuses,
} from '@manta/api';
import type { ObservedRayService, ServiceCluster } from './observed.ts';
import { withWholeTraffic } from './traffic/shares.ts';
import { type Strategy, strategyOf } from './upgrade/strategy.ts';

/** A service with what was observed of it: what every decision starts from. */
export interface ServiceState extends ObservedRayService {
  readonly spec: RayServiceSpec;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly strategy: Strategy;
  readonly before: RayServiceStatuses;
  readonly active: AssignedCluster;
  readonly pending: AssignedCluster;
  readonly isUpgrading: boolean;
  readonly isRollingBack: boolean;
}

/** One of the two places that a cluster can have in a service. */
export interface AssignedCluster {
  readonly role: 'active' | 'pending';
  /** Empty: nobody has the place. */
  readonly name: string;
  readonly status: RayServiceStatus;
  /** Undefined while the cluster is not there, or not any more. */
  readonly view: ServiceCluster | undefined;
}

export function serviceStateOf(observed: ObservedRayService, service: RayService, spec: RayServiceSpec): ServiceState {
  const { name = '', namespace = '', uid = '' } = service.metadata ?? {};
  const before = service.status ?? {};
  const side = (role: AssignedCluster['role'], status: RayServiceStatus = {}): AssignedCluster => {
    const cluster = status.rayClusterName ?? '';
    return { role, name: cluster, status, view: observed.clusters.find((view) => nameOf(view) === cluster) };
  };
  const strategy = strategyOf(spec, observed.context);
  const sides = {
    active: side('active', before.activeServiceStatus),
    pending: side('pending', before.pendingServiceStatus),
  };
  return {
    ...observed,
    service,
    spec,
    name,
    namespace,
    uid,
    strategy,
    before,
    ...(strategy.kind === 'incremental' ? withWholeTraffic(sides) : sides),
    isUpgrading: isConditionTrue(before.conditions, RayServiceConditionType.UpgradeInProgress),
    isRollingBack: isConditionTrue(before.conditions, RayServiceConditionType.RollbackInProgress),
  };
}

export function nameOf({ cluster }: Pick<ServiceCluster, 'cluster'>): string {
  return cluster.metadata?.name ?? '';
}

/** `namespace/name`, as events write it. */
export function fullName({ namespace }: Pick<ServiceState, 'namespace'>, name: string): string {
  return `${namespace}/${name}`;
}

/** Whether traffic of this service moves in steps between two clusters right now. */
export function isMigratingTraffic({ strategy, isUpgrading }: ServiceState): boolean {
  return strategy.kind === 'incremental' && isUpgrading;
}
