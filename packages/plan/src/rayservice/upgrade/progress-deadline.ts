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
import { routingTrouble } from '../traffic/gateway.ts';
import { fullName, type Subject } from '../service-state.ts';
import { podTroubleOf, troubleOf } from '../status/failure-reason.ts';

/** What is done about an upgrade that goes on for too long. */
export interface DeadlinePlan {
  readonly actions: readonly Action[];
  /** Until the deadline, if there is one. */
  readonly requeueAfterMs: number | undefined;
}

/** Whether the wanted spec is one that was tried and rolled back: it is not tried again until it is changed, or the note taken away. */
export function isRejected(subject: Subject): boolean {
  const noted = subject.service.metadata?.annotations?.[Annotation.FailedUpgrade];
  return noted !== undefined && noted === fingerprint(subject);
}

/**
 * Notes on the service that an upgrade has failed when it makes no progress in its time: no traffic moved, nobody took over. The note comes
 * first; what it means for clusters and traffic is decided from it, so that a crash in between changes nothing.
 */
export function planDeadline(subject: Subject): DeadlinePlan {
  const { service, active, pending, now, isUpgrading, isRollingBack, strategy, memory } = subject;
  const deadline = upgradeProgressDeadline(service.metadata?.annotations);
  const canGoBack = isUpgrading && !isRollingBack && active.view !== undefined && pending.name !== '';
  if (!deadline.ok || deadline.value === undefined || !canGoBack || isRejected(subject)) return NOTHING_DUE;
  const limitMs = durationToMs(deadline.value);
  // A pause that the user asked for is no lack of progress, and a process that has just begun looks round first.
  const pauseMs = strategy.kind === 'incremental' ? strategy.pace.intervalMs : 0;
  const dueAt = Math.max(lastProgress(subject) + pauseMs + limitMs, (memory.since ?? now) + LOOK_ROUND_MS);
  const leftMs = dueAt - now;
  if (leftMs > 0) return { actions: [], requeueAfterMs: leftMs };
  const podTrouble = podTroubleOf(pending.view) ?? routingTrouble(subject)?.why;
  const trouble = troubleOf({ active: {}, pending: pending.status, complaint: undefined, podTrouble });
  const limit = formatDuration(durationFromMs(limitMs));
  const why = trouble === undefined ? '' : ` (${trouble})`;
  const note = `The upgrade to RayCluster ${fullName(subject, pending.name)} made no progress for ${limit}${why}; RayCluster ${fullName(subject, active.name)} goes on serving. Change the spec, or remove the annotation ${Annotation.FailedUpgrade}, to try again`;
  const annotations = { [Annotation.FailedUpgrade]: fingerprint(subject) };
  const patch = { metadata: { resourceVersion: service.metadata?.resourceVersion, annotations } };
  const done = warning(RayServiceEventReason.UpgradeRolledBack, 'Reconcile', note);
  return { actions: [patchSelf('RayService', service, patch, { done })], requeueAfterMs: undefined };
}

const LOOK_ROUND_MS = 30_000;
const NOTHING_DUE: DeadlinePlan = { actions: [], requeueAfterMs: undefined };

/** By this an upgrade is known again: the cluster and the configuration that it leads to. */
function fingerprint({ spec }: Subject): string {
  return sha256([wantedHash(spec.rayClusterConfig), spec.serveConfigV2 ?? ''].join('\u0000')).slice(0, 16);
}

function lastProgress({ before, pending, active, now }: Subject): number {
  const times = [
    conditionOf(before.conditions, Type.UpgradeInProgress)?.lastTransitionTime,
    pending.view?.cluster.metadata?.creationTimestamp,
    pending.status.lastTrafficMigratedTime,
    active.status.lastTrafficMigratedTime,
  ];
  return Math.min(now, Math.max(0, ...times.map((time) => Date.parse(time ?? '')).filter((ms) => !Number.isNaN(ms))));
}
