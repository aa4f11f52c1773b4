import { createCertificateAuthority } from '@manta/kube/testing';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { startWebhookServer } from '../../packages/operator/src/webhooks/server.ts';

/** The operator's webhook server as a process of its own, which answers `measure` with what it holds. Started with `--expose-gc`. */
const authority = createCertificateAuthority();
const server = await startWebhookServer({
  port: 0,
  host: '127.0.0.1',
  certificate: authority.issue({ commonName: 'webhooks', ips: ['127.0.0.1'] }),
  log: silentLogger,
  metrics: createMetricsRegistry(),
});
process.send?.({ port: server.port, ca: authority.cert });
process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => /TLSWrap|TCPSocketWrap/.test(name)).length;
  process.send?.({ bytes: heapUsed + external, sockets });
});
process.on('disconnect', () => process.exit(0));
