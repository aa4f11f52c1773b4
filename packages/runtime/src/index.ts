/**
 * Runs controllers: informers, work queue, write barrier, leader election, events, metrics, health, log. Knows nothing of Ray. The vocabulary
 * is controller-runtime's.
 */
export * from './backoff.ts';
export * from './controller.ts';
export * from './event-object.ts';
export * from './events.ts';
export * from './health.ts';
export * from './http-server.ts';
export * from './index-by.ts';
export * from './informer.ts';
export * from './informer-status.ts';
export * from './informers-check.ts';
export * from './intern.ts';
export * from './leader-election.ts';
export * from './leadership.ts';
export * from './lease.ts';
export * from './listen-address.ts';
export * from './listener-limits.ts';
export * from './liveness.ts';
export * from './log/background-writer.ts';
export * from './log/create-logger.ts';
export * from './log/encode.ts';
export * from './log/level.ts';
export * from './log/rotating-file.ts';
export * from './logger.ts';
export * from './loop-watch.ts';
export * from './manager.ts';
export * from './metrics/instruments.ts';
export * from './metrics/metrics-handler.ts';
export * from './metrics/process.ts';
export * from './metrics/read-process.ts';
export * from './metrics/registry.ts';
export * from './metrics/rest-client.ts';
export * from './metrics/text.ts';
export * from './object-key.ts';
export * from './priority-lanes.ts';
export * from './reconcile.ts';
export * from './resource-version.ts';
export * from './source.ts';
export * from './store.ts';
export * from './workqueue.ts';
export * from './world.ts';
export * from './write-barrier.ts';
export { reportFailures } from './report-failures.ts';
