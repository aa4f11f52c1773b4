import { isSameJson, type RayClusterStatus, type RayServiceStatus, type RayServiceStatuses } from '@manta/api';
import { isExplained } from './conditions.ts';

/** A cluster status that says nothing, as the API writes it. */
export const EMPTY_CLUSTER_STATUS: RayClusterStatus = {
  desiredCPU: '0',
  desiredMemory: '0',
  desiredGPU: '0',
  desiredTPU: '0',
  head: {},
};

/** A place that nobody has. */
export const EMPTY_SERVICE_STATUS: RayServiceStatus = { rayClusterStatus: EMPTY_CLUSTER_STATUS };

/**
 * Whether anything differs that a user waits for. Times, the generation and copies of cluster statuses come along with the next write; only
 * while traffic moves in steps, or something is wrong, the copies are kept fresh.
 */
export function isWorthWriting(before: RayServiceStatuses, after: RayServiceStatuses): boolean {
  return !isSameJson(essence(before), essence(after));
}

function essence(status: RayServiceStatuses): unknown {
  const { serviceStatus = '', numServeEndpoints = 0, conditions = [] } = status;
  return {
    serviceStatus,
    numServeEndpoints,
    conditions,
    active: essenceOfSide(status.activeServiceStatus, isExplained(conditions)),
    pending: essenceOfSide(status.pendingServiceStatus, isExplained(conditions)),
  };
}

function essenceOfSide(side: RayServiceStatus | undefined = {}, hasTrouble: boolean): unknown {
  const { rayClusterName = '', applicationStatuses = {} } = side;
  const { targetCapacity, trafficRoutedPercent, lastTrafficMigratedTime } = side;
  return {
    rayClusterName,
    applicationStatuses,
    targetCapacity,
    trafficRoutedPercent,
    lastTrafficMigratedTime,
    ...(targetCapacity === undefined && !hasTrouble
      ? {}
      : { copy: { ...side.rayClusterStatus, lastUpdateTime: null } }),
  };
}

/** The API leaves out what is empty or zero, and so do we. */
export function withoutEmpties(status: RayServiceStatuses): RayServiceStatuses {
  const { serviceStatus, numServeEndpoints, ...rest } = status;
  return {
    ...rest,
    ...(serviceStatus ? { serviceStatus } : {}),
    ...(numServeEndpoints ? { numServeEndpoints } : {}),
  };
}
