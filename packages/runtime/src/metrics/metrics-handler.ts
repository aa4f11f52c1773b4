import type { HttpHandler } from '../http-server.ts';
import type { MetricsRegistry } from './instruments.ts';
import { METRICS_CONTENT_TYPE } from './text.ts';

/** Serves `/metrics`. */
export function createMetricsHandler(metrics: MetricsRegistry): HttpHandler {
  return ({ path }) =>
    path === '/metrics' ? { status: 200, contentType: METRICS_CONTENT_TYPE, body: metrics.text() } : undefined;
}
