import type { ServiceCluster } from './observed.ts';
import type { ServiceState } from './service-state.ts';

/**
 * What the operator remembers of a RayService between two reconciles. A restart loses it. That costs at most one PUT of the Serve
 * configuration, and none when Serve reports that it already runs this configuration.
 */
export interface ServiceMemory {
  /** Serve configurations by the name of the RayCluster. */
  readonly heads: Readonly<Record<string, HeadMemory>>;
  /** When a cluster became neither active nor pending, by its uid. */
  readonly orphanedSince: Readonly<Record<string, number>>;
  /** When this process first planned the service. */
  readonly firstPlannedAt?: number;
  /** Names of applications that Serve has reported as running, by the session of their head. */
  readonly ranApplications?: Readonly<Record<string, readonly string[]>>;
  /** Notes of warnings that were emitted and still hold: they are not repeated. */
  readonly emittedWarnings: readonly string[];
}

/** What one run of a head was sent, and how that ended. */
export interface HeadMemory {
  readonly session: string;
  /** The last configuration that the head accepted. */
  readonly accepted?: AcceptedConfig | undefined;
  /** The last configuration that an earlier run of the head accepted. */
  readonly acceptedBeforeRestart?: DesiredConfig | undefined;
  /** A PUT without a result yet. */
  readonly inFlight?: InFlightConfig | undefined;
  /** Consecutive attempts that were refused, or after which Serve still listed no application. */
  readonly failedAttempts: number;
  /** Why Serve refused the last configuration; cleared when one is accepted. */
  readonly refusal?: string | undefined;
  /** Backoff: no PUT before this time. */
  readonly backoffUntil: number;
}

export interface DesiredConfig {
  /** `serveConfigV2` as the user wrote it; compared letter by letter. */
  readonly text: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** `target_capacity` in percent; undefined: not sent, which means full capacity. */
  readonly capacity: number | undefined;
}

export interface AcceptedConfig extends DesiredConfig {
  readonly at: number;
}

export interface InFlightConfig extends DesiredConfig {
  readonly id: string;
  /** Only `target_capacity` differs from the accepted configuration. */
  readonly isCapacityOnly: boolean;
}

export const EMPTY_SERVICE_MEMORY: ServiceMemory = { heads: {}, orphanedSince: {}, emittedWarnings: [] };

/** The longest backoff between two PUTs of a configuration. */
export const MAX_BACKOFF_MS = 10_000;

/** The memory of the cluster's head. After a restart of the head only the configuration that it had accepted is kept. */
export function headMemoryOf(
  { memory, now }: Pick<ServiceState, 'memory' | 'now'>,
  { cluster, session }: ServiceCluster,
): HeadMemory {
  const known = memory.heads[cluster.metadata?.name ?? ''];
  if (known?.session === session) return clampToNow(known, now);
  return {
    session,
    failedAttempts: 0,
    backoffUntil: 0,
    acceptedBeforeRestart: known?.accepted ?? known?.acceptedBeforeRestart,
  };
}

/** If the clock moved back, clamp remembered times to now: otherwise no answer would be newer, and no backoff would end. */
function clampToNow(head: HeadMemory, now: number): HeadMemory {
  const { accepted } = head;
  const backoffUntil = head.backoffUntil - now > MAX_BACKOFF_MS ? now : head.backoffUntil;
  if (accepted === undefined || accepted.at <= now) return { ...head, backoffUntil };
  return { ...head, backoffUntil: Math.min(backoffUntil, now), accepted: { ...accepted, at: now } };
}
