import { type Condition, isConditionTrue } from '@manta/api';
import { compareCluster } from './compare-cluster.ts';
import { Reason, Type, withCondition, withoutCondition, yes } from '../status/set-condition.ts';
import { hasFailedUpgrade } from './progress-deadline.ts';
import { isHeadReady } from '../serve/serving.ts';
import { upgradeProgressOf } from '../traffic/shares.ts';
import { isMigratingTraffic, type ServiceState } from '../service-state.ts';

/** Which way an upgrade in steps goes: on, or back to the cluster that it came from. */
export type Direction = 'forward' | 'back';

/** Undefined where no traffic is being moved. Reverting the spec turns an upgrade round, and applying it again turns it round once more. */
export function rolloutDirection(state: ServiceState): Direction | undefined {
  const { active, pending } = state;
  if (!isMigratingTraffic(state)) return undefined;
  // To a cluster that is lost there is no way back.
  if (active.view === undefined) return 'forward';
  if (pending.view === undefined) return state.isRollingBack ? 'back' : 'forward';
  if (hasFailedUpgrade(state)) return 'back';
  if (compareCluster(state, active.view.cluster).verdict === 'same') return 'back';
  return compareCluster(state, pending.view.cluster).verdict === 'different' ? 'back' : 'forward';
}

/** Says in the conditions which way it goes: nothing goes back where nothing is moved any more, as when the strategy was changed. */
export function withRollbackCondition(
  state: ServiceState,
  conditions: readonly Condition[],
  direction: Direction | undefined,
): readonly Condition[] {
  const isReported = isConditionTrue(conditions, Type.RollbackInProgress);
  if (direction === 'forward' || (direction === undefined && isReported)) {
    return withoutCondition(conditions, Type.RollbackInProgress);
  }
  if (direction === undefined || isReported) return conditions;
  const { active, before, now } = state;
  const isReverted = active.view !== undefined && compareCluster(state, active.view.cluster).verdict === 'same';
  const setting = { now, generation: before.observedGeneration };
  if (hasFailedUpgrade(state)) {
    const verdict = yes(
      Reason.ProgressDeadlineExceeded,
      'Upgrade made no progress in its time, rolling back to original cluster.',
    );
    return withCondition(conditions, Type.RollbackInProgress, verdict, setting);
  }
  const message = isReverted
    ? 'Goal state reverted to original cluster, rolling back.'
    : 'Goal state changed mid-upgrade, rolling back to original cluster.';
  return withCondition(conditions, Type.RollbackInProgress, yes(Reason.DesiredClusterSpecChanged, message), setting);
}

/** Whether everything is back where it was, or as far as it can get because the pending cluster is dead. */
export function isRollbackComplete(state: ServiceState): boolean {
  const { pending, isRollingBack } = state;
  if (!isMigratingTraffic(state) || !isRollingBack) return false;
  const { activeCapacity, activeTraffic, pendingCapacity, pendingTraffic } = upgradeProgressOf(state);
  if (activeCapacity !== 100 || activeTraffic !== 100) return false;
  if (pending.view === undefined || !isHeadReady(state, pending.view)) return true;
  return pendingCapacity === 0 && pendingTraffic === 0;
}
