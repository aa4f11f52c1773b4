import type { Clock, KubeClient } from '@manta/kube';
import type { Logger } from './logger.ts';
import type { MetricsRegistry } from './metrics/instruments.ts';

/** Everything that is not a pure decision, passed in: no code of this package reaches for a global clock, socket or dice. */
export interface World {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly client: KubeClient;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}
