import type { RequestObserver } from '@manta/kube';
import type { MetricsRegistry } from './instruments.ts';

const DURATION_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60] as const;
const LOOKUP_BUCKETS = DURATION_BUCKETS.slice(0, -1);
const SIZE_BUCKETS = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216] as const;

/** Exports the transport's requests as client-go's `rest_client_*` metrics, with the same names, labels and buckets. */
export function createRestClientObserver(metrics: MetricsRegistry): RequestObserver {
  const requests = metrics.counter(
    'rest_client_requests_total',
    'Number of HTTP requests, partitioned by status code, method, and host.',
  );
  const retries = metrics.counter(
    'rest_client_request_retries_total',
    'Number of request retries, partitioned by status code, verb, and host.',
  );
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    metrics.histogram(`rest_client_${name}`, help, buckets);
  const duration = histogram('request_duration_seconds', 'Request latency by verb and host.', DURATION_BUCKETS);
  const limiter = histogram(
    'rate_limiter_duration_seconds',
    'Time spent waiting for the client-side rate limit, by verb and host.',
    DURATION_BUCKETS,
  );
  const lookup = histogram('dns_resolution_duration_seconds', 'Time to look a host name up, by host.', LOOKUP_BUCKETS);
  const sent = histogram('request_size_bytes', 'Size of request bodies by verb and host.', SIZE_BUCKETS);
  const received = histogram('response_size_bytes', 'Size of response bodies by verb and host.', SIZE_BUCKETS);

  return {
    requestDone({ method, host, code, durationMs, requestBytes, responseBytes }) {
      const labels = { verb: method, host };
      requests.add({ code, method, host });
      duration.observe(labels, durationMs / 1000);
      sent.observe(labels, requestBytes);
      received.observe(labels, responseBytes);
    },
    requestRetried: ({ method, host, code }) => retries.add({ code, verb: method, host }),
    rateLimited: ({ method, host, delayMs }) => limiter.observe({ verb: method, host }, delayMs / 1000),
    hostResolved: ({ host, durationMs }) => lookup.observe({ host }, durationMs / 1000),
  };
}
