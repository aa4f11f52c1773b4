import type { Clock } from '@manta/kube';
import type { StoredObject } from '@manta/apiserver';
import type { Backstage } from '../scenario.ts';
import { NAMESPACE, STORED } from './stage.ts';

/** When every simulation begins. */
const START = Date.UTC(2026, 0, 1);
/** A minute of a run is an hour for the operator: a schedule knows nothing shorter than minutes. */
export const PACE = 60;

/** Where it is written down how far the operator's clock is ahead, so that promises can be held against it. */
export const CLOCK = { name: 'clock', namespace: NAMESPACE } as const;

/** The clock by which the operator reads schedules: fast, and set forward or back by its users. */
export function operatorClock(clock: Clock, { api }: Backstage): Clock {
  return {
    now: () => operatorTime(clock.now(), aheadMs(api.store.get({ ...CLOCK, resource: STORED.configMaps }))),
    setTimer: (delayMs, run) => clock.setTimer(delayMs / PACE, run),
  };
}

/** What the operator's clock shows at a moment of the run, when it is so far ahead. */
export function operatorTime(at: number, ahead: number): number {
  return START + (at - START) * PACE + ahead;
}

export function aheadMs(object: StoredObject | undefined): number {
  const data: unknown = object?.['data'];
  const text = typeof data === 'object' && data !== null && 'ahead' in data ? data.ahead : undefined;
  return typeof text === 'string' ? Number(text) : 0;
}
