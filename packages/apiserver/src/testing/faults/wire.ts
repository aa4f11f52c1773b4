import type { Clock } from '@manta/kube';
import type { FaultCall } from './call.ts';

/** Something on its way between a client and the server. */
export interface Parcel {
  readonly what: 'request' | 'answer' | 'event';
  readonly call: FaultCall;
  /** How much longer than usual it takes. */
  readonly delayMs: number;
}

/** Carries parcels; the simulation brings its own and thereby decides what arrives when. */
export interface Wire {
  /** Calls `deliver` once, or never where the parcel gets lost. */
  carry(parcel: Parcel, deliver: () => void): void;
}

/** A wire that takes no longer than the faults say. */
export function instantWire(clock: Clock): Wire {
  return {
    carry({ delayMs }, deliver) {
      if (delayMs > 0) clock.setTimer(delayMs, deliver);
      else deliver();
    },
  };
}
