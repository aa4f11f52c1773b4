import { expect, test } from 'vitest';
import { createMetricsRegistry } from './registry.ts';
import { createRestClientObserver } from './rest-client.ts';

test('a request is counted and timed under the names, labels and buckets of client-go', () => {
  const metrics = createMetricsRegistry();
  const observer = createRestClientObserver(metrics);
  const call = { method: 'PATCH', host: '10.0.0.1:443' };
  observer.requestDone({ ...call, code: '200', durationMs: 30, requestBytes: 100, responseBytes: 5_000_000 });
  observer.requestRetried({ ...call, code: '429' });
  observer.rateLimited({ ...call, delayMs: 1500 });
  observer.hostResolved({ host: 'api.example.org', durationMs: 20_000 });
  const lines = metrics.text().split('\n');
  for (const line of [
    'rest_client_requests_total{code="200",host="10.0.0.1:443",method="PATCH"} 1',
    'rest_client_request_retries_total{code="429",host="10.0.0.1:443",verb="PATCH"} 1',
    'rest_client_request_duration_seconds_bucket{host="10.0.0.1:443",verb="PATCH",le="0.025"} 0',
    'rest_client_request_duration_seconds_bucket{host="10.0.0.1:443",verb="PATCH",le="0.1"} 1',
    'rest_client_request_duration_seconds_bucket{host="10.0.0.1:443",verb="PATCH",le="60"} 1',
    'rest_client_rate_limiter_duration_seconds_bucket{host="10.0.0.1:443",verb="PATCH",le="2"} 1',
    'rest_client_dns_resolution_duration_seconds_bucket{host="api.example.org",le="15"} 0',
    'rest_client_dns_resolution_duration_seconds_bucket{host="api.example.org",le="30"} 1',
    'rest_client_request_size_bytes_bucket{host="10.0.0.1:443",verb="PATCH",le="256"} 1',
    'rest_client_response_size_bytes_bucket{host="10.0.0.1:443",verb="PATCH",le="4.194304e+06"} 0',
    'rest_client_response_size_bytes_bucket{host="10.0.0.1:443",verb="PATCH",le="1.6777216e+07"} 1',
  ]) {
    expect(lines).toContain(line);
  }
});
