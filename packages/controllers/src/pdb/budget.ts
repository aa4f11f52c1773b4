import type { IntOrString, Time } from '@manta/api';
import type { PodDisruptionBudget } from '../framework/kinds.ts';

/** How many pods there should be, and how many of them must be healthy. */
export interface Budget {
  readonly expected: number;
  readonly desired: number;
}

/** How long a granted eviction is waited for. */
export const DISRUPTION_TIMEOUT_MS = 120_000;

/** Whether the pods that are there are all that counts, so that no controller has to be asked. */
export function countsPodsThemselves({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable === undefined && typeof spec?.minAvailable !== 'string';
}

/** What a budget asks for, given how many pods there should be. */
export function budgetOf({ spec }: PodDisruptionBudget, expected: number): Budget {
  if (spec?.maxUnavailable !== undefined) {
    return { expected, desired: Math.max(0, expected - scaled(spec.maxUnavailable, expected)) };
  }
  return { expected, desired: scaled(spec?.minAvailable ?? 0, expected) };
}

/** Of the evictions that were granted, those that are still under way; `nextMs` is when the first of them is given up. */
export function disruptionsUnderWay(
  granted: Readonly<Record<string, Time>>,
  isThere: (pod: string) => boolean,
  nowMs: number,
): { readonly pods: Readonly<Record<string, Time>>; readonly nextMs: number | undefined } {
  const live = Object.entries(granted).filter(
    ([pod, time]) => isThere(pod) && Date.parse(time) + DISRUPTION_TIMEOUT_MS > nowMs,
  );
  const ends = live.map(([, time]) => Date.parse(time) + DISRUPTION_TIMEOUT_MS);
  return { pods: Object.fromEntries(live), nextMs: ends.length === 0 ? undefined : Math.min(...ends) };
}

/** Percentages are rounded up. */
function scaled(value: IntOrString, whole: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * whole) / 100);
}
