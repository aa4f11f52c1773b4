import type { MetricsRegistry } from './metrics/instruments.ts';
import { PRIORITY, type Priority } from './priority-lanes.ts';

/** Metrics of a work queue. */
export interface WorkQueueObserver {
  added(): void;
  retried(): void;
  /** A key was handed out after waiting this long. */
  started(waitedMs: number): void;
  finished(workedMs: number): void;
}

/** What a queue can be asked at any time. */
export interface WorkQueueView {
  depth(priority: Priority): number;
  /** How long each key that is being worked on has been so. */
  runningMs(): readonly number[];
}

/** For queues without metrics. */
export const silentObserver: WorkQueueObserver = {
  added: () => undefined,
  retried: () => undefined,
  started: () => undefined,
  finished: () => undefined,
};

const BUCKETS = Array.from({ length: 12 }, (_, n) => Number(`1e${n - 8}`));

/** Publishes a queue under the names that controller-runtime and client-go use. */
export function observeWorkQueue(metrics: MetricsRegistry, name: string, view: WorkQueueView): WorkQueueObserver {
  const labels = { name, controller: name };
  const adds = metrics.counter('workqueue_adds_total', 'Keys that were added to the queue and were not in it yet');
  const retries = metrics.counter('workqueue_retries_total', 'Keys that were put back after a failure');
  const waited = metrics.histogram(
    'workqueue_queue_duration_seconds',
    'Seconds that a ready key waited for a worker',
    BUCKETS,
  );
  const worked = metrics.histogram('workqueue_work_duration_seconds', 'Seconds of work on one key', BUCKETS);
  adds.add(labels, 0);
  retries.add(labels, 0);
  publishAtScrape(metrics, labels, view);
  return {
    added: () => adds.add(labels),
    retried: () => retries.add(labels),
    started: (waitedMs) => waited.observe(labels, waitedMs / 1000),
    finished: (workedMs) => worked.observe(labels, workedMs / 1000),
  };
}

function publishAtScrape(metrics: MetricsRegistry, labels: { name: string; controller: string }, view: WorkQueueView) {
  const depth = metrics.gauge('workqueue_depth', 'Keys that are ready and wait for a worker, by priority');
  const unfinished = metrics.gauge(
    'workqueue_unfinished_work_seconds',
    'Seconds spent so far on the keys that are being worked on; a growing value means stuck workers',
  );
  const longest = metrics.gauge(
    'workqueue_longest_running_processor_seconds',
    'Seconds spent so far on the key that has been worked on for longest',
  );
  metrics.onScrape(() => {
    for (const priority of Object.values(PRIORITY))
      depth.set({ ...labels, priority: String(priority) }, view.depth(priority));
    const running = view.runningMs();
    unfinished.set(labels, running.reduce((sum, ms) => sum + ms, 0) / 1000);
    longest.set(labels, Math.max(0, ...running) / 1000);
  });
}
