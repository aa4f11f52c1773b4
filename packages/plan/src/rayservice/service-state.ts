import {
  isConditionTrue,
  RayServiceConditionType,
  type RayServiceSpec,
  type RayServiceStatus,
  type RayServiceStatuses,
} from '@manta/api';
import type { ServiceMemory } from './memory.ts';
import type { ObservedRayService, ServiceCluster } from './observed.ts';
import { withWholeTraffic } from './traffic/steps.ts';
import { type Strategy, strategyOf } from './upgrade/strategy.ts';

/** A RayService with everything that was observed and remembered of it: the input of every decision. */
export interface ServiceState extends ObservedRayService {
  readonly memory: ServiceMemory;
  readonly spec: RayServiceSpec;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly strategy: Strategy;
  /** The status that decisions start from. */
  readonly lastStatus: RayServiceStatuses;
  readonly active: AssignedCluster;
  readonly pending: AssignedCluster;
  /** The condition UpgradeInProgress is True. */
  readonly isUpgrading: boolean;
  /** The condition RollbackInProgress is True. */
  readonly isRollingBack: boolean;
}

/** The active or the pending cluster, as the status names it. */
export interface AssignedCluster {
  readonly role: 'active' | 'pending';
  /** Empty: the service has no cluster in this role. */
  readonly name: string;
  readonly status: RayServiceStatus;
  /** Undefined: the cluster is not created yet, or was deleted. */
  readonly view: ServiceCluster | undefined;
}

/** An object without a spec is planned like one with an empty spec; validation rejects it. */
const EMPTY_SPEC: RayServiceSpec = { rayClusterConfig: { headGroupSpec: { template: {} } } };

/** `lastStatus` differs from the stored status while a service resumes or adopts running clusters. */
export function serviceStateOf(
  observed: ObservedRayService,
  memory: ServiceMemory,
  lastStatus: RayServiceStatuses = observed.service.status ?? {},
): ServiceState {
  const { service, context, clusters } = observed;
  const { name = '', namespace = '', uid = '' } = service.metadata ?? {};
  const spec = service.spec ?? EMPTY_SPEC;
  const assigned = (role: AssignedCluster['role'], status: RayServiceStatus = {}): AssignedCluster => {
    const cluster = status.rayClusterName ?? '';
    return { role, name: cluster, status, view: clusters.find((view) => nameOf(view) === cluster) };
  };
  const strategy = strategyOf(spec, context);
  const active = assigned('active', lastStatus.activeServiceStatus);
  const pending = assigned('pending', lastStatus.pendingServiceStatus);
  return {
    ...observed,
    memory,
    spec,
    name,
    namespace,
    uid,
    strategy,
    lastStatus,
    ...(strategy.kind === 'incremental' ? withWholeTraffic({ active, pending }) : { active, pending }),
    isUpgrading: isConditionTrue(lastStatus.conditions, RayServiceConditionType.UpgradeInProgress),
    isRollingBack: isConditionTrue(lastStatus.conditions, RayServiceConditionType.RollbackInProgress),
  };
}

export function nameOf({ cluster }: Pick<ServiceCluster, 'cluster'>): string {
  return cluster.metadata?.name ?? '';
}

/** `namespace/name`, as events write it. */
export function fullName({ namespace }: Pick<ServiceState, 'namespace'>, name: string): string {
  return `${namespace}/${name}`;
}

/** Whether an incremental upgrade moves traffic between two clusters right now. */
export function isMigratingTraffic({ strategy, isUpgrading }: ServiceState): boolean {
  return strategy.kind === 'incremental' && isUpgrading;
}
