import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import { guard, guardConnection, WEBHOOK_LIMITS, type ListenerTimeouts } from '@manta/base';
import { type Logger, limitOptions, type MetricsRegistry, SHORT_REQUESTS } from '@manta/runtime';
import type { ServingCertificate } from './certificate.ts';
import { answerReview, type ReviewAnswer, WEBHOOKS, type Webhook } from './review.ts';

const MAX_BODY_BYTES = WEBHOOK_LIMITS.bodyBytes;
/** API servers keep idle connections for 90 s. They must close them first: a POST on a connection that we close is lost. */
const LIMITS: ListenerTimeouts = { ...SHORT_REQUESTS, idleMs: WEBHOOK_LIMITS.idleMs };
const LATENCY_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface WebhookServerOptions {
  readonly port: number;
  readonly host?: string;
  readonly certificate: ServingCertificate;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** Default: those of short requests, with an idle timeout above the API server's. */
  readonly limits?: ListenerTimeouts;
}

export interface WebhookServer {
  readonly port: number;
  /** New connections get the new certificate; open ones are kept. */
  renew(certificate: ServingCertificate): void;
  close(): Promise<void>;
}

/** Serves the validating webhooks over TLS 1.2 or newer. Rejects when the port cannot be had. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { createServer } = process.getBuiltinModule('node:https');
  const measure = measures(options.metrics);
  const limits = options.limits ?? LIMITS;
  const server: Server = createServer(
    {
      ...options.certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: limits.headersMs,
      ...limitOptions(limits),
    },
    guardConnection('webhooks', (request: IncomingMessage, response: ServerResponse) =>
      serve(request, response, measure, options.log),
    ),
  );
  // A client that breaks off a handshake is its own affair.
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, ...(options.host === undefined ? {} : { host: options.host }) }, resolve);
  });
  server.on(
    'error',
    guard('webhooks', undefined, (error) => options.log.error('The webhook server has a problem', error)),
  );
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : options.port,
    renew: (certificate) => server.setSecureContext({ ...certificate, minVersion: 'TLSv1.2' }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Measure = (path: string, work: () => Promise<ReviewAnswer>) => Promise<ReviewAnswer>;

async function serve(request: IncomingMessage, response: ServerResponse, measure: Measure, log: Logger): Promise<void> {
  const path = request.url?.split('?')[0] ?? '';
  const webhook = WEBHOOKS.find((each) => each.path === path);
  const answer =
    webhook === undefined
      ? { status: 404, body: JSON.stringify({ message: `nothing is served at ${path}` }) }
      : await measure(path, () => answerRequest(webhook, request, log));
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'content-length': body.length,
    // Of a body that was not read to its end nothing more is read.
    ...(request.complete ? {} : { connection: 'close' }),
  });
  response.end(body);
}

async function answerRequest(webhook: Webhook, request: IncomingMessage, log: Logger): Promise<ReviewAnswer> {
  if (request.method !== 'POST') return plain(405, 'only POST is served here');
  if (!(request.headers['content-type'] ?? '').startsWith('application/json'))
    return plain(415, 'the body must be application/json');
  try {
    const body = await readBody(request);
    if (body === undefined) return plain(413, `the body is longer than ${MAX_BODY_BYTES} bytes`);
    return answerReview(webhook, body);
  } catch (error) {
    log.error('A webhook request failed', error, { path: webhook.path });
    return plain(500, 'internal error; the log has the details');
  }
}

function plain(status: number, message: string): ReviewAnswer {
  return { status, body: JSON.stringify({ message }) };
}

/** The whole body; undefined if it is too long or announces to be. Then nothing of it is kept. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  // The response uses the same connection, so it stays open.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    length += bytes.length;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function measures(metrics: MetricsRegistry): Measure {
  const total = metrics.counter(
    'controller_runtime_webhook_requests_total',
    'Total number of admission requests by HTTP status code.',
  );
  const latency = metrics.histogram(
    'controller_runtime_webhook_latency_seconds',
    'Histogram of the latency of processing admission requests',
    LATENCY_BUCKETS,
  );
  const running = metrics.gauge(
    'controller_runtime_webhook_requests_in_flight',
    'Current number of admission requests being served.',
  );
  return async (webhook, work) => {
    const started = performance.now();
    running.add({ webhook }, 1);
    const answer = await work();
    running.add({ webhook }, -1);
    latency.observe({ webhook }, (performance.now() - started) / 1000);
    total.add({ webhook, code: String(answer.status) });
    return answer;
  };
}
