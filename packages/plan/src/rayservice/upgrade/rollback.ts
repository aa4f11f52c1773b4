import { type Condition, isConditionTrue } from '@manta/api';
import { compareCluster } from './compare-cluster.ts';
import { Reason, Type, withCondition, withoutCondition, yes } from '../status/set-condition.ts';
import { isRejected } from './progress-deadline.ts';
import { isHeadReady } from '../serve/serving.ts';
import { sharesOf } from '../traffic/shares.ts';
import { isShifting, type Subject } from '../service-state.ts';

/** Which way an upgrade in steps goes: on, or back to the cluster that it came from. */
export type Direction = 'forward' | 'back';

/** Undefined where no traffic is being moved. Reverting the spec turns an upgrade round, and applying it again turns it round once more. */
export function directionOf(subject: Subject): Direction | undefined {
  const { active, pending } = subject;
  if (!isShifting(subject)) return undefined;
  // To a cluster that is lost there is no way back.
  if (active.view === undefined) return 'forward';
  if (pending.view === undefined) return subject.isRollingBack ? 'back' : 'forward';
  if (isRejected(subject)) return 'back';
  if (compareCluster(subject, active.view.cluster).verdict === 'same') return 'back';
  return compareCluster(subject, pending.view.cluster).verdict === 'different' ? 'back' : 'forward';
}

/** Says in the conditions which way it goes: nothing goes back where nothing is moved any more, as when the strategy was changed. */
export function withDirection(
  subject: Subject,
  conditions: readonly Condition[],
  direction: Direction | undefined,
): readonly Condition[] {
  const isTold = isConditionTrue(conditions, Type.RollbackInProgress);
  if (direction === 'forward' || (direction === undefined && isTold)) {
    return withoutCondition(conditions, Type.RollbackInProgress);
  }
  if (direction === undefined || isTold) return conditions;
  const { active, before, now } = subject;
  const isReverted = active.view !== undefined && compareCluster(subject, active.view.cluster).verdict === 'same';
  const setting = { now, generation: before.observedGeneration };
  if (isRejected(subject)) {
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
export function isRollbackComplete(subject: Subject): boolean {
  const { pending, isRollingBack } = subject;
  if (!isShifting(subject) || !isRollingBack) return false;
  const { activeCapacity, activeTraffic, pendingCapacity, pendingTraffic } = sharesOf(subject);
  if (activeCapacity !== 100 || activeTraffic !== 100) return false;
  if (pending.view === undefined || !isHeadReady(subject, pending.view)) return true;
  return pendingCapacity === 0 && pendingTraffic === 0;
}
