import { isSameJson, type RayServiceStatus, type RayServiceStatuses } from '@manta/api';
import { hasFailureReason } from './conditions.ts';

/**
 * Whether the status differs in anything that users wait for. Times, the generation and the copies of RayCluster statuses are written
 * together with the next such change. The copies count as a change only while an upgrade is incremental, or the service reports a failure.
 */
export function isWorthWriting(before: RayServiceStatuses, after: RayServiceStatuses): boolean {
  return !isSameJson(comparable(before), comparable(after));
}

function comparable(status: RayServiceStatuses): unknown {
  const { serviceStatus = '', numServeEndpoints = 0, conditions = [] } = status;
  return {
    serviceStatus,
    numServeEndpoints,
    conditions,
    active: comparableCluster(status.activeServiceStatus, hasFailureReason(conditions)),
    pending: comparableCluster(status.pendingServiceStatus, hasFailureReason(conditions)),
  };
}

function comparableCluster(status: RayServiceStatus | undefined = {}, isFailing: boolean): unknown {
  const { rayClusterName = '', applicationStatuses = {} } = status;
  const { targetCapacity, trafficRoutedPercent, lastTrafficMigratedTime } = status;
  return {
    rayClusterName,
    applicationStatuses,
    targetCapacity,
    trafficRoutedPercent,
    lastTrafficMigratedTime,
    ...(targetCapacity === undefined && !isFailing
      ? {}
      : { copy: { ...status.rayClusterStatus, lastUpdateTime: null } }),
  };
}

/** Without empty and zero fields, like KubeRay writes it. */
export function withoutEmpties(status: RayServiceStatuses): RayServiceStatuses {
  const { serviceStatus, numServeEndpoints, ...rest } = status;
  return {
    ...rest,
    ...(serviceStatus ? { serviceStatus } : {}),
    ...(numServeEndpoints ? { numServeEndpoints } : {}),
  };
}
