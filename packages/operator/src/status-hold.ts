import type { RayClusterStatus } from '@manta/api';
import type { ObjectKey } from '@manta/runtime';

/** How long changes of counters wait for more of their kind. */
const HOLD_MS = 1_000;
/** A cluster that has just begun is told of when nothing has happened to it for this long … */
const STILL_MS = 800;
/** … and after this long in any case. */
const BEGINNING_MS = 3_000;

/** What has happened to a cluster that nothing was told of yet. */
interface Beginning {
  readonly since: number;
  readonly changedAt: number;
  readonly seen: string;
}

/** A change of a status that is to be written. */
export interface StatusChange {
  readonly status: RayClusterStatus;
  /** Whether the cluster has no status yet. */
  readonly isFirst: boolean;
  /** Whether somebody may be waiting for it. */
  readonly isUrgent: boolean;
}

/**
 * Folds status writes. While a cluster comes up its counters change with every pod; written one by one they would be most of what the
 * API server has to do. The first status waits until its cluster has come up or to a standstill, later changes up to a second since the
 * last write (or since the cluster was first seen); what somebody may be waiting for goes out at once.
 */
export class StatusHold {
  readonly #since = new Map<ObjectKey, number>();
  readonly #beginnings = new Map<ObjectKey, Beginning>();

  /** How long a change may wait from now on; 0 means: write it. */
  waitMs(key: ObjectKey, { status, isFirst, isUrgent }: StatusChange, now: number): number {
    const since = notAfter(this.#since.get(key), now) ?? now;
    this.#since.set(key, since);
    if (isUrgent) return 0;
    if (!isFirst) return Math.max(0, since + HOLD_MS - now);
    const beginning = this.#look(key, inShort(status), now);
    const due = Math.min(beginning.since + BEGINNING_MS, beginning.changedAt + STILL_MS);
    return Math.max(0, due - now);
  }

  wrote(key: ObjectKey, now: number): void {
    this.#since.set(key, now);
    this.#beginnings.delete(key);
  }

  forget(key: ObjectKey): void {
    this.#since.delete(key);
    this.#beginnings.delete(key);
  }

  #look(key: ObjectKey, seen: string, now: number): Beginning {
    const known = this.#beginnings.get(key);
    const isKnown = known !== undefined && notAfter(known.changedAt, now) !== undefined;
    const before = isKnown ? known : { since: now, changedAt: now, seen };
    const after = before.seen === seen ? before : { ...before, changedAt: now, seen };
    this.#beginnings.set(key, after);
    return after;
  }
}

/** A time that has not come yet is from before the clock was put back, and tells nothing. */
function notAfter(time: number | undefined, now: number): number | undefined {
  return time === undefined || time > now ? undefined : time;
}

/** What changes while a cluster comes up. */
function inShort({ readyWorkerReplicas, availableWorkerReplicas, head, conditions = [] }: RayClusterStatus): string {
  const reasons = conditions.map(({ status, reason }) => [status, reason]);
  return JSON.stringify([readyWorkerReplicas, availableWorkerReplicas, head, reasons]);
}
