import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@manta/kube';
import { createLogger, createMetricsRegistry, encodeJson } from '@manta/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from './connect.ts';

let server: Server;
const folder = mkdtempSync(join(tmpdir(), 'manta-connect-'));
const kubeconfig = join(folder, 'kubeconfig');

beforeAll(async () => {
  server = createServer((_, response) => {
    response.setHeader('warning', '299 - "policy/v1beta1 is deprecated"').end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const text = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server: `http://localhost:${port}` } }],
    users: [{ name: 'a', user: {} }],
  };
  writeFileSync(kubeconfig, JSON.stringify(text));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

it('counts requests, lookups and waits for the rate limit, and logs each warning of the server once', async () => {
  const lines: string[] = [];
  const sink = {
    write: (line: string) => lines.push(line),
    flush: async () => {},
    flushSync() {},
    takeDropped: () => 0,
  };
  const log = createLogger({ clock: systemClock, main: { sink, encode: encodeJson } });
  const metrics = createMetricsRegistry();
  const options = { kubeconfig, rateLimit: { qps: 100, burst: 10 } };
  const { client, transport } = await connect(options, '1.2.3', { clock: systemClock, metrics, log });
  await client.getPath('/version');
  await client.getPath('/version');
  await transport.close();
  const text = metrics.text();
  expect(text).toMatch(/^rest_client_requests_total\{code="200",host="localhost:\d+",method="GET"\} 2$/m);
  expect(text).toMatch(/^rest_client_rate_limiter_duration_seconds_count\{host="localhost:\d+",verb="GET"\} 2$/m);
  expect(text).toMatch(/^rest_client_dns_resolution_duration_seconds_count\{host="localhost"\} 1$/m);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ logger: 'KubeAPIWarningLogger', msg: 'policy/v1beta1 is deprecated' }),
  ]);
});
