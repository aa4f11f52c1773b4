import { type Clock, systemClock } from '@manta/kube';

/** The moment at which the pictures are taken. */
export const DEMO_NOW = Date.parse('2026-11-18T12:00:00Z');

/** A timestamp this many seconds before `DEMO_NOW`. */
export function ago(seconds: number): string {
  return new Date(DEMO_NOW - seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** Stands still, so that objects get the age that the demo wants; timers run. */
export interface DemoClock extends Clock {
  /** The next objects are created this many seconds before `DEMO_NOW`. */
  at(secondsAgo: number): void;
}

export function createDemoClock(): DemoClock {
  let nowMs = DEMO_NOW;
  return {
    now: () => nowMs,
    steady: () => performance.now(),
    setTimer: (delayMs, run) => systemClock.setTimer(delayMs, run),
    at: (secondsAgo) => void (nowMs = DEMO_NOW - secondsAgo * 1000),
  };
}
