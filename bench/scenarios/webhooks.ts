import { Agent, request } from 'node:https';
import { rayCluster, rayClusterSpec, workerGroup } from '@manta/api/testing';
import { createCertificateAuthority } from '@manta/kube';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { startWebhookServer } from '../../packages/operator/src/webhooks/server.ts';
import type { Measurement, Scenario } from '../scenario.ts';

const REVIEWS = 5_000;
const WARM_UP = 500;
const LIMIT_MS = 5;

/** An edit of a cluster with ten groups, as an API server asks about it. */
function review(): Buffer {
  const groups = (image: string) =>
    Array.from({ length: 10 }, (_, i) => {
      const group = workerGroup(`group-${i}`, { replicas: i });
      const containers = (group.template.spec?.containers ?? []).map((each) => ({ ...each, image }));
      return { ...group, template: { spec: { containers } } };
    });
  const object = (image: string) => ({
    ...rayCluster('demo'),
    spec: rayClusterSpec({ workerGroupSpecs: groups(image) }),
  });
  const question = { uid: 'u', operation: 'UPDATE', object: object('ray:2'), oldObject: object('ray:1') };
  return Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', request: question }));
}

async function run(): Promise<Measurement> {
  const authority = createCertificateAuthority('bench');
  const server = await startWebhookServer({
    port: 0,
    host: '127.0.0.1',
    certificate: authority.issue({ commonName: 'webhooks', ips: ['127.0.0.1'] }),
    log: silentLogger,
    metrics: createMetricsRegistry(),
  });
  // API servers keep their connections.
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ca: authority.cert });
  const body = review();
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      const started = performance.now();
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const path = '/validate-ray-io-v1-raycluster';
      const options = { host: '127.0.0.1', port: server.port, path, method: 'POST', agent, headers };
      const sent = request(options, (response) => {
        response.resume().on('end', () => resolve(performance.now() - started));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  try {
    for (let i = 0; i < WARM_UP; i++) await ask();
    const took: number[] = [];
    for (let i = 0; i < REVIEWS; i++) took.push(await ask());
    const sorted = took.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
    const [p50, p99] = [at(0.5), at(0.99)];
    return {
      summary: `${REVIEWS} reviews of ${(body.length / 1024).toFixed(0)} KB over TLS: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
      figures: { p50Ms: p50, p99Ms: p99 },
      budgets: [{ what: `99 of 100 reviews are answered within ${LIMIT_MS} ms`, isKept: p99 < LIMIT_MS }],
    };
  } finally {
    agent.destroy();
    await server.close();
  }
}

export const webhooks: Scenario = { name: 'webhooks', what: 'how long an API server waits for a webhook', run };
