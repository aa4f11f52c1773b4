import type { MetricsRegistry } from './metrics/instruments.ts';

/** Counts what a controller does, under controller-runtime's names. */
export interface ControllerMetrics {
  started(): void;
  ended(outcome: ReconcileOutcome, durationMs: number): void;
  panicked(): void;
  timedOut(): void;
  /** A reconcile had to read from the server because an informer did not show our writes in time. */
  wasLate(): void;
}

/** The result label of a reconcile; `terminal` counts as an error too. */
export type ReconcileOutcome = 'success' | 'requeue_after' | 'error' | 'terminal';

const SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const RESULTS = ['success', 'error', 'requeue', 'requeue_after'] as const;

/** The instruments of one controller, all present from the start so that a rate can be taken from the first event on. */
export function controllerMetrics(
  metrics: MetricsRegistry,
  controller: string,
  concurrency: number,
): ControllerMetrics {
  const counter = (name: string, help: string) => {
    const instrument = metrics.counter(name, help);
    instrument.add({ controller }, 0);
    return () => instrument.add({ controller });
  };
  const total = metrics.counter('controller_runtime_reconcile_total', 'Reconciles by result');
  for (const result of RESULTS) total.add({ controller, result }, 0);
  const failed = counter('controller_runtime_reconcile_errors_total', 'Reconciles that failed');
  const terminal = counter('controller_runtime_terminal_reconcile_errors_total', 'Reconciles that failed for good');
  const panicked = counter('controller_runtime_reconcile_panics_total', 'Reconciles that failed because of a bug');
  const timedOut = counter(
    'controller_runtime_reconcile_timeouts_total',
    'Reconciles that were ended for taking too long',
  );
  const wasLate = counter(
    'manta_write_barrier_late_total',
    'Reconciles for which the cache had not shown our own writes in time',
  );
  const seconds = metrics.histogram('controller_runtime_reconcile_time_seconds', 'Seconds per reconcile', SECONDS);
  const active = metrics.gauge('controller_runtime_active_workers', 'Reconciles that are running');
  active.set({ controller }, 0);
  metrics
    .gauge('controller_runtime_max_concurrent_reconciles', 'Reconciles that may run at once')
    .set({ controller }, concurrency);
  return {
    started: () => active.add({ controller }, 1),
    ended(outcome, durationMs) {
      active.add({ controller }, -1);
      seconds.observe({ controller }, durationMs / 1000);
      total.add({ controller, result: outcome === 'terminal' ? 'error' : outcome });
      if (outcome === 'error' || outcome === 'terminal') failed();
      if (outcome === 'terminal') terminal();
    },
    panicked,
    timedOut,
    wasLate,
  };
}
