import {
  Annotation,
  type Condition,
  durationFromMs,
  durationToMs,
  RayServiceEventReason as Event,
  formatDuration,
  initializingTimeout,
  type RayServiceStatus,
  type RayServiceStatuses,
} from '@manta/api';
import { type PlannedEvent, warning } from '../../plan.ts';
import { conditionOf, no, Reason, type Setting, Type, withCondition, withoutCondition, yes } from './set-condition.ts';
import type { GatewayProblem } from '../traffic/gateway.ts';
import type { ServiceState } from '../service-state.ts';
import { type FailureSources, failureReason } from './failure-reason.ts';

/** What the conditions are made from. */
export interface Findings extends FailureSources {
  readonly endpoints: number;
  /** The wanted configuration cannot be used, and the one before serves on. */
  readonly isConfigUnusable?: boolean;
  /** The wanted spec was tried and rolled back. */
  readonly hasFailedUpgrade: boolean;
  /** What keeps traffic from being moved in steps. */
  readonly routing?: GatewayProblem | undefined;
}

/** The conditions of a service once the rest of its status is known. */
export function conditionsOf(
  conditions: readonly Condition[],
  findings: Findings,
  setting: Setting,
): readonly Condition[] {
  const started = withStart(conditions, findings, setting);
  return withUpgrade(withReady(started, findings, setting), findings, setting);
}

const SERVING = 'Number of serve endpoints is greater than 0';
const INITIALIZING = 'RayService is initializing';

/** A service that has just come, or whose spec has been repaired, starts from here. */
function withStart(conditions: readonly Condition[], findings: Findings, setting: Setting): readonly Condition[] {
  const verdict = no(Reason.Initializing, INITIALIZING);
  if (conditions.length === 0) return both(conditions, verdict, setting);
  const { ValidationFailed, GatewayApiNotFound } = Reason;
  const reason = conditionOf(conditions, Type.Ready)?.reason;
  if (reason !== ValidationFailed && reason !== GatewayApiNotFound) return conditions;
  if (findings.active.rayClusterName) return withCondition(conditions, Type.Ready, zeroEndpoints(), setting);
  // Taken out first, so that the time limit counts from now.
  return both(withoutCondition(conditions, Type.Ready), verdict, setting);
}

function both(
  conditions: readonly Condition[],
  verdict: ReturnType<typeof no>,
  setting: Setting,
): readonly Condition[] {
  const ready = withCondition(conditions, Type.Ready, verdict, setting);
  return withCondition(ready, Type.UpgradeInProgress, verdict, setting);
}

function zeroEndpoints(): ReturnType<typeof no> {
  return no(Reason.ZeroServeEndpoints, 'Number of serve endpoints dropped to 0');
}

function withReady(conditions: readonly Condition[], findings: Findings, setting: Setting): readonly Condition[] {
  const ready = conditionOf(conditions, Type.Ready);
  if (findings.endpoints > 0) {
    const isOutOfUse = findings.isConfigUnusable === true && findings.configProblem !== undefined;
    const message = `${SERVING}${isOutOfUse ? `; an earlier configuration serves, since ${findings.configProblem}` : ''}`;
    const verdict = yes(Reason.NonZeroServeEndpoints, message);
    return withCondition(conditions, Type.Ready, verdict, setting);
  }
  if (ready === undefined) return conditions;
  const verdict = ready.status === 'True' ? zeroEndpoints() : { ...ready };
  const message = withTrouble(verdict.message, failureReason(findings));
  if (verdict.status === ready.status && message === ready.message) return conditions;
  return withCondition(conditions, Type.Ready, { ...verdict, message }, setting);
}

const EXPLAINABLE = [INITIALIZING, 'RayService is initializing after resuming from suspend.', zeroEndpoints().message];

/** Whether the Ready condition says more than how far the service is. */
export function isExplained(conditions: readonly Condition[] = []): boolean {
  const ready = conditionOf(conditions, Type.Ready);
  return ready !== undefined && baseOf(ready.message) !== undefined && !EXPLAINABLE.includes(ready.message);
}

function baseOf(message: string): string | undefined {
  return EXPLAINABLE.toSorted((a, b) => b.length - a.length).find((each) => message.startsWith(each));
}

/** What went wrong follows the message that says how far the service is. */
function withTrouble(message: string, trouble: string | undefined): string {
  const base = baseOf(message);
  if (base === undefined) return message;
  return trouble === undefined ? base : `${base.replace(/\.$/, '')}: ${trouble}`;
}

const REJECTED = no(
  Reason.ProgressDeadlineExceeded,
  `The upgrade to the wanted spec made no progress in its time and was rolled back. Change the spec, or remove the annotation ${Annotation.FailedUpgrade}, to try again.`,
);

/** Once it was said it stays until it passes: a clock that is put back takes nothing back. */
function sayable(conditions: readonly Condition[], routing: GatewayProblem | undefined): string | undefined {
  if (routing === undefined) return undefined;
  const held = conditionOf(conditions, Type.UpgradeInProgress)?.message ?? '';
  return routing.isReported || routing.graceMs === 0 || held.endsWith(routing.why) ? routing.why : undefined;
}

function withUpgrade(
  conditions: readonly Condition[],
  { active, pending, hasFailedUpgrade, routing }: Findings,
  setting: Setting,
): readonly Condition[] {
  const set = (verdict: Parameters<typeof withCondition>[2]) =>
    withCondition(conditions, Type.UpgradeInProgress, verdict, setting);
  if (active.rayClusterName) {
    const why = sayable(conditions, routing);
    if (pending.rayClusterName) {
      const waits = why === undefined ? '' : `; traffic stays where it is: ${why}`;
      return set(yes(Reason.BothActivePendingClustersExist, `Both active and pending Ray clusters exist${waits}`));
    }
    const wouldWait = why === undefined ? '' : `; an upgrade would wait: ${why}`;
    const alone = no(Reason.NoPendingCluster, `Active Ray cluster exists and no pending Ray cluster${wouldWait}`);
    return set(hasFailedUpgrade ? REJECTED : alone);
  }
  const { Initializing, InitializingTimeout } = Reason;
  const reason = conditionOf(conditions, Type.UpgradeInProgress)?.reason;
  if (reason === Initializing || reason === InitializingTimeout) return conditions;
  const message =
    'No active Ray cluster exists, and the RayService is not initializing. Please open a GitHub issue in the KubeRay repository.';
  return set({ status: 'Unknown', reason: Reason.NoActiveCluster, message });
}

/** A service that took too long: what its status becomes, and what to tell. */
export interface TimedOut {
  readonly status: RayServiceStatuses;
  readonly event: PlannedEvent;
}

/** Gives up on a service that does not become ready in its time. Undefined while it may still try. */
export function checkTimeout(state: ServiceState, status: RayServiceStatuses, setting: Setting): TimedOut | undefined {
  const leftMs = timeLeftMs(state, status);
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

/** How long a service may still take to become ready; undefined where there is no limit or it is ready. */
export function timeLeftMs(
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
