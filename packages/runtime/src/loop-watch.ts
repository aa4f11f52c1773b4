import type { Clock } from '@manta/kube';
import type { CheckResult } from './health.ts';

export interface LoopWatchOptions {
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Milliseconds that no clock of the machine moves, e.g. `performance.now`. */
  readonly monotonic: () => number;
  /** A block of the event loop from this long on is a failure. */
  readonly limitMs: number;
  /** How long a failure is reported after the block has ended. */
  readonly reportMs: number;
}

/** Notices when the event loop was blocked. */
export interface LoopWatch {
  readonly check: () => CheckResult;
  stop(): void;
}

const LOOK_MS = 1_000;

/**
 * Watches how late a timer comes that is due every second. While the loop is blocked no probe is answered; afterwards the check fails for
 * `reportMs`, so that a process that blocks again and again is restarted although it answers probes in between.
 */
export function watchLoop({ clock, monotonic, limitMs, reportMs }: LoopWatchOptions): LoopWatch {
  let blocked: { readonly forMs: number; readonly endedAt: number } | undefined;
  let cancel = () => {};
  const look = () => {
    const dueAt = monotonic() + LOOK_MS;
    cancel = clock.setTimer(LOOK_MS, () => {
      const now = monotonic();
      if (now - dueAt >= limitMs) blocked = { forMs: now - dueAt, endedAt: now };
      look();
    });
  };
  look();
  return {
    stop: () => cancel(),
    check: () => {
      const now = monotonic();
      if (blocked === undefined || now - blocked.endedAt >= reportMs) return { isOk: true };
      const [forS, agoS, limitS] = [blocked.forMs, now - blocked.endedAt, limitMs].map((ms) => Math.round(ms / 1000));
      return {
        isOk: false,
        reason: `the event loop was blocked for ${forS} s, ${agoS} s ago; the lease allows ${limitS} s`,
      };
    },
  };
}
