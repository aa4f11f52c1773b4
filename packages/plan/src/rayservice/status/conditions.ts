import { Annotation, type Condition } from '@manta/api';
import type { GatewayProblem } from '../traffic/gateway-readiness.ts';
import type { Awaited } from './awaited.ts';
import { type FailureSources, failureReason } from './failure-reason.ts';
import { conditionOf, no, Reason, type Setting, Type, withCondition, withoutCondition, yes } from './set-condition.ts';

/** What the conditions Ready and UpgradeInProgress are derived from. */
export interface Findings extends FailureSources {
  /** Ready pods behind the serve Service. */
  readonly endpoints: number;
  /** The desired Serve configuration cannot be sent, and an earlier one serves. */
  readonly isConfigUnusable?: boolean;
  /** An application of the active cluster that fails while the service has endpoints, in a sentence. */
  readonly applicationTrouble?: string | undefined;
  /** What a service that starts waits for, since when. */
  readonly awaited?: Awaited | undefined;
  /** The upgrade to the present spec was rolled back because it made no progress. */
  readonly hasFailedUpgrade: boolean;
  /** Why an incremental upgrade cannot move traffic. */
  readonly gateway?: GatewayProblem | undefined;
}

/** The conditions of a service after the rest of its status is known. */
export function conditionsOf(
  conditions: readonly Condition[],
  findings: Findings,
  setting: Setting,
): readonly Condition[] {
  const started = withStart(conditions, findings, setting);
  return withUpgradeInProgress(withReady(started, findings, setting), findings, setting);
}

const SERVING = 'Number of serve endpoints is greater than 0';
const INITIALIZING = 'RayService is initializing';

/** Conditions of a new service, and of a service whose spec was invalid or lacked the Gateway API before. */
function withStart(conditions: readonly Condition[], findings: Findings, setting: Setting): readonly Condition[] {
  const verdict = no(Reason.Initializing, INITIALIZING);
  if (conditions.length === 0) return withReadyAndUpgrade(conditions, verdict, setting);
  const { ValidationFailed, GatewayApiNotFound } = Reason;
  const reason = conditionOf(conditions, Type.Ready)?.reason;
  if (reason !== ValidationFailed && reason !== GatewayApiNotFound) return conditions;
  if (findings.active.rayClusterName) return withCondition(conditions, Type.Ready, zeroEndpoints(), setting);
  // Removed first, so that its transition time, from which the initializing timeout counts, is now.
  return withReadyAndUpgrade(withoutCondition(conditions, Type.Ready), verdict, setting);
}

function withReadyAndUpgrade(
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
    const reason = shortcoming(findings);
    const verdict = yes(Reason.NonZeroServeEndpoints, reason === undefined ? SERVING : `${SERVING}; ${reason}`);
    return withCondition(conditions, Type.Ready, verdict, setting);
  }
  if (ready === undefined) return conditions;
  const verdict = ready.status === 'True' ? zeroEndpoints() : { ...ready };
  const reason = whyNotReady(findings);
  const message = withFailureReason(verdict.message, reason);
  if (verdict.status === ready.status && message === ready.message) return conditions;
  return withCondition(conditions, Type.Ready, { ...verdict, message }, setting);
}

/** Why a service is not ready. What keeps a pod from running also has a start and a number of restarts. */
function whyNotReady(findings: Findings): string | undefined {
  const { awaited, podFailure } = findings;
  const failure = failureReason(findings);
  if (awaited === undefined || (failure !== undefined && failure !== podFailure)) return failure;
  return failure === undefined ? `${awaited.what} ${awaited.since}` : `${failure}; not ready ${awaited.since}`;
}

/** What is wrong with a service that has endpoints. */
function shortcoming({ isConfigUnusable, configProblem, applicationTrouble }: Findings): string | undefined {
  return isConfigUnusable === true && configProblem !== undefined
    ? `an earlier configuration serves, since ${configProblem}`
    : applicationTrouble;
}

/** Messages of the Ready condition that a failure reason may follow. */
const EXPLAINABLE = [INITIALIZING, 'RayService is initializing after resuming from suspend.', zeroEndpoints().message];

/** Whether the Ready condition contains the reason of a failure. */
export function hasFailureReason(conditions: readonly Condition[] = []): boolean {
  const ready = conditionOf(conditions, Type.Ready);
  return ready !== undefined && baseOf(ready.message) !== undefined && !EXPLAINABLE.includes(ready.message);
}

function baseOf(message: string): string | undefined {
  return EXPLAINABLE.toSorted((a, b) => b.length - a.length).find((each) => message.startsWith(each));
}

function withFailureReason(message: string, reason: string | undefined): string {
  const base = baseOf(message);
  if (base === undefined) return message;
  return reason === undefined ? base : `${base.replace(/\.$/, '')}: ${reason}`;
}

const UPGRADE_FAILED = no(
  Reason.ProgressDeadlineExceeded,
  `The upgrade to the wanted spec made no progress in its time and was rolled back. Change the spec, or remove the annotation ${Annotation.FailedUpgrade}, to try again.`,
);

function withUpgradeInProgress(
  conditions: readonly Condition[],
  { active, pending, hasFailedUpgrade, gateway }: Findings,
  setting: Setting,
): readonly Condition[] {
  const set = (verdict: Parameters<typeof withCondition>[2]) =>
    withCondition(conditions, Type.UpgradeInProgress, verdict, setting);
  if (active.rayClusterName) {
    const why = reportableProblem(conditions, gateway);
    if (pending.rayClusterName) {
      const waits = why === undefined ? '' : `; traffic stays where it is: ${why}`;
      return set(yes(Reason.BothActivePendingClustersExist, `Both active and pending Ray clusters exist${waits}`));
    }
    const wouldWait = why === undefined ? '' : `; an upgrade would wait: ${why}`;
    const alone = no(Reason.NoPendingCluster, `Active Ray cluster exists and no pending Ray cluster${wouldWait}`);
    return set(hasFailedUpgrade ? UPGRADE_FAILED : alone);
  }
  const { Initializing, InitializingTimeout } = Reason;
  const reason = conditionOf(conditions, Type.UpgradeInProgress)?.reason;
  if (reason === Initializing || reason === InitializingTimeout) return conditions;
  const message =
    'No active Ray cluster exists, and the RayService is not initializing. Please open a GitHub issue in the KubeRay repository.';
  return set({ status: 'Unknown', reason: Reason.NoActiveCluster, message });
}

/** A problem is reported after its grace period. Once reported it stays until it is solved, even if the clock moves back. */
function reportableProblem(conditions: readonly Condition[], gateway: GatewayProblem | undefined): string | undefined {
  if (gateway === undefined) return undefined;
  const message = conditionOf(conditions, Type.UpgradeInProgress)?.message ?? '';
  return gateway.isReported || gateway.graceMs === 0 || message.endsWith(gateway.why) ? gateway.why : undefined;
}
