import type { RayCluster } from './raycluster.ts';
import type { RayService } from './rayservice.ts';

/** Remembers, while a rollout is paused, the strategy to return to. */
export const PAUSED_STRATEGY = 'ray.io/paused-upgrade-strategy';

/** A merge patch after which later changes of the spec start no upgrade. */
export function pausePatch({ spec }: RayService | RayCluster): object {
  return {
    metadata: { annotations: { [PAUSED_STRATEGY]: spec?.upgradeStrategy?.type ?? '' } },
    spec: { upgradeStrategy: { type: 'None' } },
  };
}

/** A merge patch that returns to the strategy that the pause found. */
export function resumePatch({ metadata }: RayService | RayCluster): object {
  const former = metadata?.annotations?.[PAUSED_STRATEGY] ?? '';
  return {
    metadata: { annotations: { [PAUSED_STRATEGY]: null } },
    spec: { upgradeStrategy: { type: former === '' ? null : former } },
  };
}
