import {
  Annotation,
  durationFromMs,
  durationToMs,
  formatDuration,
  RayServiceEventReason,
  sha256,
  upgradeProgressDeadline,
} from '@manta/api';
import { patchSelf } from '../../ownership.ts';
import { type Action, warning } from '../../plan.ts';
import { fullName, type ServiceState } from '../service-state.ts';
import { failureReason, podFailureOf } from '../status/failure-reason.ts';
import { conditionOf, Type } from '../status/set-condition.ts';
import { gatewayProblem } from '../traffic/gateway-readiness.ts';
import { specHashOf } from './compare-cluster.ts';

export interface DeadlinePlan {
  readonly actions: readonly Action[];
  /** Until the deadline; undefined when there is none. */
  readonly requeueAfterMs: number | undefined;
}

/** A restarted operator waits this long before it gives up an upgrade that may have progressed meanwhile. */
const AFTER_RESTART_MS = 30_000;
const NO_DEADLINE: DeadlinePlan = { actions: [], requeueAfterMs: undefined };

/** Whether an upgrade to the present spec has failed before. It is not retried until the spec changes or the user removes the annotation. */
export function hasFailedUpgrade(state: ServiceState): boolean {
  const failed = state.service.metadata?.annotations?.[Annotation.FailedUpgrade];
  return failed !== undefined && failed === upgradeFingerprint(state);
}

/**
 * Marks an upgrade as failed if it made no progress within the deadline that an annotation of the service sets. Progress is a step of
 * traffic or a promotion. This only annotates the service; the rollback follows from the annotation, so a crash in between changes nothing.
 */
export function planProgressDeadline(state: ServiceState): DeadlinePlan {
  const { service, active, pending, now, isUpgrading, isRollingBack } = state;
  const deadline = upgradeProgressDeadline(service.metadata?.annotations);
  const canRollBack = isUpgrading && !isRollingBack && active.view !== undefined && pending.name !== '';
  if (!deadline.ok || deadline.value === undefined || !canRollBack || hasFailedUpgrade(state)) return NO_DEADLINE;
  const limitMs = durationToMs(deadline.value);
  const leftMs = dueAt(state, limitMs) - now;
  return leftMs > 0
    ? { actions: [], requeueAfterMs: leftMs }
    : { ...NO_DEADLINE, actions: [markAsFailed(state, limitMs)] };
}

/** The interval between steps, which the user asked for, does not count as a lack of progress. */
function dueAt(state: ServiceState, limitMs: number): number {
  const { strategy, memory, now } = state;
  const intervalMs = strategy.kind === 'incremental' ? strategy.options.intervalMs : 0;
  return Math.max(lastProgressAt(state) + intervalMs + limitMs, (memory.firstPlannedAt ?? now) + AFTER_RESTART_MS);
}

function markAsFailed(state: ServiceState, limitMs: number): Action {
  const { service, active, pending } = state;
  const podFailure = podFailureOf(pending.view) ?? gatewayProblem(state)?.why;
  const failure = failureReason({ active: {}, pending: pending.status, configProblem: undefined, podFailure });
  const limit = formatDuration(durationFromMs(limitMs));
  const why = failure === undefined ? '' : ` (${failure})`;
  const note = `The upgrade to RayCluster ${fullName(state, pending.name)} made no progress for ${limit}${why}; RayCluster ${fullName(state, active.name)} goes on serving. Change the spec, or remove the annotation ${Annotation.FailedUpgrade}, to try again`;
  const annotations = { [Annotation.FailedUpgrade]: upgradeFingerprint(state) };
  const patch = { metadata: { resourceVersion: service.metadata?.resourceVersion, annotations } };
  const done = warning(RayServiceEventReason.UpgradeRolledBack, 'Reconcile', note);
  return patchSelf('RayService', service, patch, { done });
}

/** Identifies an upgrade by its goal: the cluster's spec and the Serve configuration. */
function upgradeFingerprint({ spec }: ServiceState): string {
  return sha256([specHashOf(spec.rayClusterConfig), spec.serveConfigV2 ?? ''].join('\u0000')).slice(0, 16);
}

function lastProgressAt({ lastStatus, pending, active, now }: ServiceState): number {
  const times = [
    conditionOf(lastStatus.conditions, Type.UpgradeInProgress)?.lastTransitionTime,
    pending.view?.cluster.metadata?.creationTimestamp,
    pending.status.lastTrafficMigratedTime,
    active.status.lastTrafficMigratedTime,
  ];
  return Math.min(now, Math.max(0, ...times.map((time) => Date.parse(time ?? '')).filter((ms) => !Number.isNaN(ms))));
}
