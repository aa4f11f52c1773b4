import { type Condition, isConditionTrue } from '@manta/api';
import { isHeadReady } from '../serve/serving.ts';
import { isMigratingTraffic, type ServiceState } from '../service-state.ts';
import { Reason, Type, withCondition, withoutCondition, yes } from '../status/set-condition.ts';
import { upgradeProgressOf } from '../traffic/steps.ts';
import { compareCluster } from './compare-cluster.ts';
import { hasFailedUpgrade } from './progress-deadline.ts';

/** Where an incremental upgrade moves traffic: forward to the pending cluster, or in a rollback to the active cluster. */
export type RolloutDirection = 'forward' | 'rollback';

/** Undefined when no traffic is moved. Reverting the spec starts a rollback, and applying the new spec again ends it. */
export function rolloutDirection(state: ServiceState): RolloutDirection | undefined {
  const { active, pending } = state;
  if (!isMigratingTraffic(state)) return undefined;
  // A lost active cluster cannot be rolled back to.
  if (active.view === undefined) return 'forward';
  if (pending.view === undefined) return state.isRollingBack ? 'rollback' : 'forward';
  if (hasFailedUpgrade(state)) return 'rollback';
  if (compareCluster(state, active.view.cluster).verdict === 'same') return 'rollback';
  return compareCluster(state, pending.view.cluster).verdict === 'different' ? 'rollback' : 'forward';
}

/** Sets or removes RollbackInProgress. It is removed, too, when no traffic is moved any more, e.g. after a change of the strategy. */
export function withRollbackCondition(
  state: ServiceState,
  conditions: readonly Condition[],
  direction: RolloutDirection | undefined,
): readonly Condition[] {
  const isReported = isConditionTrue(conditions, Type.RollbackInProgress);
  if (direction === 'forward' || (direction === undefined && isReported)) {
    return withoutCondition(conditions, Type.RollbackInProgress);
  }
  if (direction === undefined || isReported) return conditions;
  const setting = { now: state.now, generation: state.lastStatus.observedGeneration };
  return withCondition(conditions, Type.RollbackInProgress, rollbackReason(state), setting);
}

function rollbackReason(state: ServiceState): ReturnType<typeof yes> {
  const { active } = state;
  if (hasFailedUpgrade(state)) {
    const message = 'Upgrade made no progress in its time, rolling back to original cluster.';
    return yes(Reason.ProgressDeadlineExceeded, message);
  }
  const isReverted = active.view !== undefined && compareCluster(state, active.view.cluster).verdict === 'same';
  const message = isReverted
    ? 'Goal state reverted to original cluster, rolling back.'
    : 'Goal state changed mid-upgrade, rolling back to original cluster.';
  return yes(Reason.DesiredClusterSpecChanged, message);
}

/** Whether the active cluster has all capacity and traffic again. A dead pending cluster cannot report that it has none, and is not waited for. */
export function isRollbackComplete(state: ServiceState): boolean {
  const { pending, isRollingBack } = state;
  if (!isMigratingTraffic(state) || !isRollingBack) return false;
  const { activeCapacity, activeTraffic, pendingCapacity, pendingTraffic } = upgradeProgressOf(state);
  if (activeCapacity !== 100 || activeTraffic !== 100) return false;
  if (pending.view === undefined || !isHeadReady(state, pending.view)) return true;
  return pendingCapacity === 0 && pendingTraffic === 0;
}
