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
import { wantedHash } from './compare-cluster.ts';
import { conditionOf, Type } from '../status/set-condition.ts';
import { gatewayProblem } from '../traffic/gateway.ts';
import { fullName, type ServiceState } from '../service-state.ts';
import { podFailureOf, failureReason } from '../status/failure-reason.ts';

/** What is done about an upgrade that goes on for too long. */
export interface DeadlinePlan {
  readonly actions: readonly Action[];
  /** Until the deadline, if there is one. */
  readonly requeueAfterMs: number | undefined;
}

/** Whether the wanted spec is one that was tried and rolled back: it is not tried again until it is changed, or the note taken away. */
export function hasFailedUpgrade(state: ServiceState): boolean {
  const noted = state.service.metadata?.annotations?.[Annotation.FailedUpgrade];
  return noted !== undefined && noted === fingerprint(state);
}

/**
 * Notes on the service that an upgrade has failed when it makes no progress in its time: no traffic moved, nobody took over. The note comes
 * first; what it means for clusters and traffic is decided from it, so that a crash in between changes nothing.
 */
export function planDeadline(state: ServiceState): DeadlinePlan {
  const { service, active, pending, now, isUpgrading, isRollingBack, strategy, memory } = state;
  const deadline = upgradeProgressDeadline(service.metadata?.annotations);
  const canGoBack = isUpgrading && !isRollingBack && active.view !== undefined && pending.name !== '';
  if (!deadline.ok || deadline.value === undefined || !canGoBack || hasFailedUpgrade(state)) return NOTHING_DUE;
  const limitMs = durationToMs(deadline.value);
  // A pause that the user asked for is no lack of progress, and a process that has just begun looks round first.
  const backoffMs = strategy.kind === 'incremental' ? strategy.options.intervalMs : 0;
  const dueAt = Math.max(lastProgressAt(state) + backoffMs + limitMs, (memory.since ?? now) + LOOK_ROUND_MS);
  const leftMs = dueAt - now;
  if (leftMs > 0) return { actions: [], requeueAfterMs: leftMs };
  const podFailure = podFailureOf(pending.view) ?? gatewayProblem(state)?.why;
  const trouble = failureReason({ active: {}, pending: pending.status, configProblem: undefined, podFailure });
  const limit = formatDuration(durationFromMs(limitMs));
  const why = trouble === undefined ? '' : ` (${trouble})`;
  const note = `The upgrade to RayCluster ${fullName(state, pending.name)} made no progress for ${limit}${why}; RayCluster ${fullName(state, active.name)} goes on serving. Change the spec, or remove the annotation ${Annotation.FailedUpgrade}, to try again`;
  const annotations = { [Annotation.FailedUpgrade]: fingerprint(state) };
  const patch = { metadata: { resourceVersion: service.metadata?.resourceVersion, annotations } };
  const done = warning(RayServiceEventReason.UpgradeRolledBack, 'Reconcile', note);
  return { actions: [patchSelf('RayService', service, patch, { done })], requeueAfterMs: undefined };
}

const LOOK_ROUND_MS = 30_000;
const NOTHING_DUE: DeadlinePlan = { actions: [], requeueAfterMs: undefined };

/** By this an upgrade is known again: the cluster and the configuration that it leads to. */
function fingerprint({ spec }: ServiceState): string {
  return sha256([wantedHash(spec.rayClusterConfig), spec.serveConfigV2 ?? ''].join('\u0000')).slice(0, 16);
}

function lastProgressAt({ before, pending, active, now }: ServiceState): number {
  const times = [
    conditionOf(before.conditions, Type.UpgradeInProgress)?.lastTransitionTime,
    pending.view?.cluster.metadata?.creationTimestamp,
    pending.status.lastTrafficMigratedTime,
    active.status.lastTrafficMigratedTime,
  ];
  return Math.min(now, Math.max(0, ...times.map((time) => Date.parse(time ?? '')).filter((ms) => !Number.isNaN(ms))));
}
