import type { Pod } from '@manta/api';

/** Whether a pod runs and passes its readiness probes. */
export function isRunningAndReady({ status }: Pod): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return status?.phase === 'Running' && isReady === true;
}
