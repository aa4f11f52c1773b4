import { STATUS_CODES } from 'node:http';
import type { MetricsRegistry } from '@manta/runtime';
import type { Observer } from './proxy/forward.ts';
import type { Proxy } from './proxy/proxy.ts';

/** Takes the answers of backends that have left the table. */
const FORMER = 'former';

/**
 * Counts what the proxy does. Answers of our own have no backend. The number of series is bounded, however long the router runs and whatever
 * backends answer: those of backends that leave the table are removed, and codes without a name are counted by their first digit.
 */
export function observeInMetrics(metrics: MetricsRegistry): Observer {
  const requests = metrics.counter(
    'manta_router_requests_total',
    'Answers, by the backend that gave them and their code.',
  );
  const retries = metrics.counter(
    'manta_router_retries_total',
    'Requests sent elsewhere because a backend did not answer.',
  );
  let served: ReadonlySet<string> = new Set();
  const known = (backend: string) => (backend === '' || served.has(backend) ? backend : FORMER);
  return {
    answered: (backend, status) => requests.add({ backend: known(backend), code: codeOf(status) }),
    retried: (backend) => retries.add({ backend: known(backend) }),
    serves(backends) {
      for (const backend of served) {
        if (backends.has(backend)) continue;
        requests.remove({ backend });
        retries.remove({ backend });
      }
      served = backends;
    },
  };
}

function codeOf(status: number): string {
  return status in STATUS_CODES ? String(status) : `${String(status)[0]}xx`;
}

/** Shows how many requests are under way, by endpoint. */
export function showOutstanding(metrics: MetricsRegistry, proxy: Pick<Proxy, 'outstanding'>): void {
  const gauge = metrics.gauge('manta_router_requests_in_flight', 'Requests under way, by endpoint.');
  metrics.onScrape(() => {
    gauge.remove({});
    for (const [endpoint, count] of proxy.outstanding()) gauge.set({ endpoint }, count);
  });
}
