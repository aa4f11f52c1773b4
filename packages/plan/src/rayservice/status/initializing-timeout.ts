import {
  durationFromMs,
  durationToMs,
  formatDuration,
  initializingTimeout,
  RayServiceEventReason as Event,
  type RayServiceStatus,
  type RayServiceStatuses,
} from '@manta/api';
import { type PlannedEvent, warning } from '../../plan.ts';
import type { ServiceState } from '../service-state.ts';
import { conditionOf, no, Reason, type Setting, Type, withCondition } from './set-condition.ts';

/** Whether the service did not become ready within its initializing timeout. This is final: only a new RayService starts again. */
export function isInitializingTimedOut({ lastStatus }: Pick<ServiceState, 'lastStatus'>): boolean {
  return conditionOf(lastStatus.conditions, Type.Ready)?.reason === Reason.InitializingTimeout;
}

/** The status and the event of a service whose initializing timeout has just expired. */
export interface TimedOut {
  readonly status: RayServiceStatuses;
  readonly event: PlannedEvent;
}

/** Gives the service up: it is not ready, and its clusters become orphans. Undefined while the timeout has not expired. */
export function checkInitializingTimeout(
  state: ServiceState,
  status: RayServiceStatuses,
  setting: Setting,
): TimedOut | undefined {
  const leftMs = initializingTimeLeftMs(state, status);
  if (leftMs === undefined || leftMs > 0) return undefined;
  const timeout = timeoutMs(state) ?? 0;
  const limit = formatDuration(durationFromMs(timeout));
  const spent = formatDuration(durationFromMs(timeout - leftMs));
  const message = `RayService failed to become ready within the configured timeout of ${limit}. Time spent initializing: ${spent}`;
  const verdict = no(Reason.InitializingTimeout, message);
  const note = `RayService initializing timeout exceeded after ${spent} (configured timeout: ${limit})`;
  return {
    status: {
      ...status,
      conditions: withCondition(status.conditions ?? [], Type.Ready, verdict, setting),
      activeServiceStatus: withoutName(status.activeServiceStatus),
      pendingServiceStatus: withoutName(status.pendingServiceStatus),
    },
    event: warning(Event.RayServiceInitializingTimeout, 'Reconcile', note),
  };
}

/** How much of the initializing timeout is left; undefined when there is none, or the service is ready or was ready before. */
export function initializingTimeLeftMs(
  state: ServiceState,
  { conditions, numServeEndpoints }: RayServiceStatuses,
): number | undefined {
  const limit = timeoutMs(state);
  const ready = conditionOf(conditions, Type.Ready);
  if (limit === undefined || numServeEndpoints || ready?.status !== 'False' || ready.reason !== Reason.Initializing) {
    return undefined;
  }
  return Date.parse(ready.lastTransitionTime) + limit - state.now;
}

function timeoutMs({ service }: ServiceState): number | undefined {
  const timeout = initializingTimeout(service.metadata?.annotations);
  return timeout.ok && timeout.value !== undefined ? durationToMs(timeout.value) : undefined;
}

function withoutName({ rayClusterName: _name, ...status }: RayServiceStatus = {}): RayServiceStatus {
  return status;
}
