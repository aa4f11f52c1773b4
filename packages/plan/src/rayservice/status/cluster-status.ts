import type { RayServiceStatus } from '@manta/api';
import type { SubmissionPlan } from '../serve/submission.ts';
import { isHeadReady } from '../serve/serving.ts';
import type { WantedCapacity } from '../traffic/migration.ts';
import { EMPTY_CLUSTER_STATUS } from './status-changes.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';

/** A place's status with what was seen of its cluster; `isAsked`: whether its Serve was looked at in this pass. */
export function clusterStatusOf(
  state: ServiceState,
  side: AssignedCluster,
  isAsked: boolean,
  submission: SubmissionPlan | undefined,
  { assumed }: Pick<WantedCapacity, 'assumed'>,
): RayServiceStatus {
  if (side.name === '')
    return { ...side.status, rayClusterStatus: side.status.rayClusterStatus ?? EMPTY_CLUSTER_STATUS };
  const { applicationStatuses: _old, ...rest } = side.status;
  const applicationStatuses = isAsked ? applicationsOf(state, side) : undefined;
  const capacity = assumed?.role === side.role ? assumed.capacity : submission?.capacity;
  return {
    ...rest,
    rayClusterStatus: { ...EMPTY_CLUSTER_STATUS, ...side.view?.cluster.status },
    ...(applicationStatuses === undefined ? {} : { applicationStatuses }),
    ...(capacity === undefined ? {} : { targetCapacity: capacity }),
  };
}

/** What Serve said last. A head that is not there has no applications; one that does not answer still has those that it had. */
function applicationsOf(
  state: ServiceState,
  { view, status }: AssignedCluster,
): RayServiceStatus['applicationStatuses'] {
  if (view === undefined || !isHeadReady(state, view)) return undefined;
  const { serve } = view;
  if (serve.kind !== 'known') return status.applicationStatuses;
  return Object.keys(serve.applications).length === 0 ? undefined : serve.applications;
}
