import type { StoredObject } from '@manta/apiserver';
import type { Clock } from '@manta/kube';
import type { Backstage, Move } from '../scenario.ts';
import { CONFIG_MAPS, NAMESPACE, STORED } from './stage.ts';

/** Where it is written down how far the operator's clock is ahead, so that promises can be held against it. */
export const CLOCK = { name: 'clock', namespace: NAMESPACE } as const;

/** The clock by which the operator tells the time: set forward or back now and then. Its timers run evenly. */
export function operatorClock(clock: Clock, { api }: Backstage): Clock {
  return {
    now: () => clock.now() + aheadMs(api.store.get({ ...CLOCK, resource: STORED.configMaps })),
    steady: () => clock.now(),
    setTimer: (delayMs, run) => clock.setTimer(delayMs, run),
  };
}

const MINUTE = 60_000;
const JUMPS_MS = [MINUTE, 10 * MINUTE, 120 * MINUTE];

/** Sets the clock by a minute or by hours. */
export function jump(direction: 1 | -1): Move {
  return async ({ api, client, choices }) => {
    const before = api.store.get({ ...CLOCK, resource: STORED.configMaps });
    const by = direction * (JUMPS_MS[choices.pick(JUMPS_MS.length)] ?? MINUTE);
    const data = { ahead: String(aheadMs(before) + by) };
    if (before === undefined) await client.create(CONFIG_MAPS, { metadata: CLOCK, data });
    else await client.update(CONFIG_MAPS, { ...before, data });
  };
}

/** How far the operator's clock is ahead, as it is written down. */
export function aheadMs(object: StoredObject | undefined): number {
  const data: unknown = object?.['data'];
  const text = typeof data === 'object' && data !== null && 'ahead' in data ? data.ahead : undefined;
  return typeof text === 'string' ? Number(text) : 0;
}
