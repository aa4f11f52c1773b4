import type { Clock } from '@manta/kube';

/** What the engine takes from outside, so that a simulation can own time and chance. */
export interface EngineWorld {
  readonly clock: Clock;
  /** A new uid, in UUID form. */
  readonly newUid: () => string;
  /** Uniform in [0, 1): generated names, token ids. */
  readonly random: () => number;
}
