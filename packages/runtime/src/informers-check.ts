import type { HealthCheck } from './health.ts';
import type { Informer } from './informer.ts';
import { describeStatus } from './informer-status.ts';
import { isDecided } from './readiness.ts';

/**
 * Passes once every informer has its first content, or knows that it cannot have it (forbidden, or the kind is not installed): from then on
 * controllers work as far as they can. A later outage does not matter.
 */
export function informersCheck(informers: readonly Informer[]): HealthCheck {
  return () => {
    const waiting = informers.filter((informer) => !isDecided(informer));
    if (waiting.length === 0) return { isOk: true };
    const kinds = waiting.map((informer) => describeStatus(informer.type.kind, informer.status()));
    return { isOk: false, reason: `not synced yet: ${kinds.join('; ')}` };
  };
}
