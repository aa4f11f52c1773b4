import { RayServiceEventReason as Event } from '@manta/api';
import { type Action, warning } from '../../plan.ts';
import { fullName, isMigratingTraffic, type ServiceState } from '../service-state.ts';
import { podFailureOf } from '../status/failure-reason.ts';
import { gatewayProblem } from '../traffic/gateway-readiness.ts';
import { nodeCapacityShortfall } from './node-capacity.ts';
import type { UpgradeDecision } from './promotion.ts';

/** Warns about an upgrade that is stuck, or that would be stuck if the user started it. */
export function warnAboutStuckUpgrade(state: ServiceState): readonly Action[] {
  const { active, pending, isUpgrading } = state;
  if (active.view === undefined) {
    const note = 'Active cluster not found, rollback cannot be initiated';
    return isMigratingTraffic(state) ? [warningEvent(Event.RollbackImpossible, note)] : [];
  }
  const gateway = gatewayProblem(state);
  const gatewayFailure = gateway?.graceMs === 0 ? gateway.why : undefined;
  const failure = isUpgrading ? (podFailureOf(pending.view) ?? gatewayFailure) : gatewayFailure;
  if (failure === undefined) return [];
  const upgrade = isUpgrading
    ? `The upgrade to RayCluster ${fullName(state, pending.name)} waits`
    : 'An upgrade would wait';
  const note = `${upgrade}: ${failure}; RayCluster ${fullName(state, active.name)} goes on serving`;
  return [warningEvent(Event.UpgradeHeldUp, note)];
}

/** Warns before a pending cluster is created that the nodes cannot run beside the active one. */
export function warnAboutNodeCapacity(state: ServiceState, { needsNewCluster }: UpgradeDecision): readonly Action[] {
  if (!needsNewCluster || state.active.view === undefined) return [];
  const shortfall = nodeCapacityShortfall(state);
  if (shortfall === undefined) return [];
  const note = `The upgrade will find no room: ${shortfall}; RayCluster ${fullName(state, state.active.name)} goes on serving`;
  return [warningEvent(Event.UpgradeLacksRoom, note)];
}

function warningEvent(reason: string, note: string): Action {
  return { type: 'event', event: warning(reason, 'Reconcile', note) };
}
