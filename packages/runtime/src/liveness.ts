import { type Controller, STUCK_MS } from './controller.ts';
import type { HealthCheck } from './health.ts';

/** At most so many stuck keys are named. */
const NAMED_KEYS = 5;

/** Fails while a worker of a controller has been busy with one key for ten minutes: only a restart frees it. */
export function workersCheck(controllers: readonly Pick<Controller, 'name' | 'stuck'>[]): HealthCheck {
  return () => {
    const stuck = controllers.flatMap((controller) => controller.stuck().map((key) => `${controller.name} ${key}`));
    if (stuck.length === 0) return { isOk: true };
    const others = stuck.length > NAMED_KEYS ? ` and ${stuck.length - NAMED_KEYS} more` : '';
    const minutes = STUCK_MS / 60_000;
    return {
      isOk: false,
      reason: `working for over ${minutes} minutes: ${stuck.slice(0, NAMED_KEYS).join(', ')}${others}`,
    };
  };
}
