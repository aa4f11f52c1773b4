import { type Condition, RayCronJobConditionReason, RayCronJobConditionType, RayCronJobEventReason } from '@manta/api';
import { warning } from '../plan.ts';
import { withCondition } from '../shared/conditions.ts';
import type { ObservedRayCronJob } from './observed.ts';
import type { RayCronJobPlan } from './plan.ts';

const MESSAGE =
  'The feature gate RayCronJob is off: the operator creates no RayJobs. Start the operator with --feature-gates=RayCronJob=true.';

/** Without its gate a schedule does nothing: a condition and one Warning event say so. Undefined with the gate. */
export function reportGateOff(observed: ObservedRayCronJob): RayCronJobPlan | undefined {
  const { cronJob, gates, now } = observed;
  if (gates.RayCronJob) return undefined;
  const { conditions = [] } = cronJob.status ?? {};
  if (cronJob.spec?.suspend === true || gateCondition(conditions) !== undefined) return { actions: [] };
  const verdict = { status: 'False', reason: RayCronJobConditionReason.FeatureGateOff, message: MESSAGE } as const;
  const { generation } = cronJob.metadata ?? {};
  return {
    actions: [{ type: 'event', event: warning(RayCronJobEventReason.FeatureGateOff, 'Reconcile', MESSAGE) }],
    status: {
      ...cronJob.status,
      conditions: withCondition(conditions, RayCronJobConditionType.Scheduling, verdict, { now, generation }),
    },
  };
}

/** With the gate, removes the condition that an operator without the gate has left. */
export function withdrawGateOff({ cronJob }: ObservedRayCronJob): RayCronJobPlan | undefined {
  const { conditions = [], ...status } = cronJob.status ?? {};
  const gone = gateCondition(conditions);
  if (gone === undefined) return undefined;
  const others = conditions.filter((condition) => condition !== gone);
  return {
    actions: [],
    status: { ...status, ...(others.length === 0 ? {} : { conditions: others }) },
    requeueAfterMs: 0,
  };
}

function gateCondition(conditions: readonly Condition[]): Condition | undefined {
  return conditions.find(
    ({ type, reason }) =>
      type === RayCronJobConditionType.Scheduling && reason === RayCronJobConditionReason.FeatureGateOff,
  );
}
