import { rayCluster, rayJob, rayService } from '@manta/api/testing';
import { createMetricsRegistry, type MetricsRegistry } from '@manta/runtime';
import { expect, it } from 'vitest';
import { exportRayClusterMetrics } from './raycluster-metrics.ts';
import { exportRayJobMetrics } from './rayjob-metrics.ts';
import { exportRayServiceMetrics } from './rayservice-metrics.ts';

const MANY = Array.from({ length: 20 }, (_, n) => `n-${n}`);

/** Counts how often series are looked for to be removed: each time all of them are gone through. */
function counting(): { readonly metrics: MetricsRegistry; readonly removals: Record<string, number> } {
  const metrics = createMetricsRegistry();
  const removals: Record<string, number> = {};
  const gauge: MetricsRegistry['gauge'] = (name, help) => {
    const made = metrics.gauge(name, help);
    const remove: typeof made.remove = (labels) => {
      removals[name] = (removals[name] ?? 0) + 1;
      made.remove(labels);
    };
    return { ...made, remove };
  };
  return { metrics: { ...metrics, gauge }, removals };
}

it.each<[string, (metrics: MetricsRegistry) => void]>([
  [
    'clusters',
    (metrics) => void exportRayClusterMetrics(metrics, { records: () => MANY.map((name) => rayCluster(name)) }),
  ],
  ['jobs', (metrics) => void exportRayJobMetrics(metrics, { records: () => MANY.map((name) => rayJob(name)) })],
  ['services', (metrics) => exportRayServiceMetrics(metrics, { records: () => MANY.map((name) => rayService(name)) })],
])('a scrape goes through the series of a metric once, however many %s there are', (_, register) => {
  const { metrics, removals } = counting();
  register(metrics);
  const first = metrics.text();
  expect(first).toContain('name="n-19"');
  expect(metrics.text()).toBe(first);
  expect(new Set(Object.values(removals))).toEqual(new Set([2]));
});
