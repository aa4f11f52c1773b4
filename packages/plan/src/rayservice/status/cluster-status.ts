import type { RayServiceStatus } from '@manta/api';
import type { SubmissionPlan } from '../serve/submission.ts';
import { isHeadReady } from '../serve/serving.ts';
import type { CapacityWish } from '../traffic/migration.ts';
import { EMPTY_CLUSTER_STATUS } from './status-changes.ts';
import type { Side, Subject } from '../service-state.ts';

/** A place's status with what was seen of its cluster; `isAsked`: whether its Serve was looked at in this pass. */
export function seenSide(
  subject: Subject,
  side: Side,
  isAsked: boolean,
  submission: SubmissionPlan | undefined,
  { assumed }: Pick<CapacityWish, 'assumed'>,
): RayServiceStatus {
  if (side.name === '')
    return { ...side.status, rayClusterStatus: side.status.rayClusterStatus ?? EMPTY_CLUSTER_STATUS };
  const { applicationStatuses: _old, ...rest } = side.status;
  const applicationStatuses = isAsked ? applicationsOf(subject, side) : undefined;
  const capacity = assumed?.role === side.role ? assumed.capacity : submission?.capacity;
  return {
    ...rest,
    rayClusterStatus: { ...EMPTY_CLUSTER_STATUS, ...side.view?.cluster.status },
    ...(applicationStatuses === undefined ? {} : { applicationStatuses }),
    ...(capacity === undefined ? {} : { targetCapacity: capacity }),
  };
}

/** What Serve said last. A head that is not there has no applications; one that does not answer still has those that it had. */
function applicationsOf(subject: Subject, { view, status }: Side): RayServiceStatus['applicationStatuses'] {
  if (view === undefined || !isHeadReady(subject, view)) return undefined;
  const { serve } = view;
  if (serve.kind !== 'known') return status.applicationStatuses;
  return Object.keys(serve.applications).length === 0 ? undefined : serve.applications;
}
