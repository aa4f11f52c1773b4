import type { MetricsRegistry } from '@manta/runtime';
import type { Observer } from './proxy/forward.ts';
import type { Proxy } from './proxy/proxy.ts';

/** Counts what the proxy does. Answers of our own have no backend. */
export function observeInMetrics(metrics: MetricsRegistry): Observer {
  const requests = metrics.counter(
    'manta_router_requests_total',
    'Answers, by the backend that gave them and their code.',
  );
  const retries = metrics.counter(
    'manta_router_retries_total',
    'Requests sent elsewhere because a backend did not answer.',
  );
  return {
    answered: (backend, status) => requests.add({ backend, code: String(status) }),
    retried: (backend) => retries.add({ backend }),
  };
}

/** Shows how many requests are under way, by endpoint. */
export function showOutstanding(metrics: MetricsRegistry, proxy: Pick<Proxy, 'outstanding'>): void {
  const gauge = metrics.gauge('manta_router_requests_in_flight', 'Requests under way, by endpoint.');
  metrics.onScrape(() => {
    gauge.remove({});
    for (const [endpoint, count] of proxy.outstanding()) gauge.set({ endpoint }, count);
  });
}
