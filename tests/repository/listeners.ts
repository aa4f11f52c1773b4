import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestEngine } from '@manta/apiserver/testing';
import { dialPod, startConsole } from '@manta/console';
import { loadConnection, systemClock } from '@manta/kube';
import { createCertificateAuthority } from '@manta/kube/testing';
import { createMetricsRegistry, silentLogger, startHttpServer } from '@manta/runtime';
import { startDashboardProxy } from '../../packages/kubelet/src/network/dashboard-proxy.ts';
import { createEgress } from '../../packages/kubelet/src/network/egress.ts';
import { createAddressPolicy } from '../../packages/kubelet/src/network/refused-address.ts';
import { startServiceProxy } from '../../packages/kubelet/src/network/service-proxy.ts';
import { startWebhookServer } from '../../packages/operator/src/webhooks/server.ts';
import { backendOf, tableOf } from '../../packages/router/src/testing/backends.ts';
import { createParts } from '../../packages/router/src/testing/parts.ts';

/** A listener of ours at work, with hardly any patience. */
export interface Open {
  readonly port: number;
  close(): unknown;
}

/** A listener of ours, and what is to be expected of it. */
export interface Listener {
  /** Where it is made. */
  readonly file: string;
  readonly isSecure: boolean;
  readonly hasHttp2: boolean;
  /** A path that takes the longest bodies that it takes. */
  readonly path: string;
  /**
   * What a body that is too long is answered with. Where bodies are passed on as they come and nothing of them is kept: `stalled` if they
   * have to keep coming, `none` if whoever gets them decides.
   */
  readonly refusal: number | 'stalled' | 'none';
  open(): Promise<Open>;
}

/** Long enough for a test that is not slow on purpose, even on a busy machine; short enough to wait for. */
const LIMITS = { headersMs: 400, requestMs: 400, idleMs: 400, checkMs: 50 };
const PASSING_ON = { ...LIMITS, requestMs: 0 };
const authority = createCertificateAuthority();
const pair = authority.issue({ commonName: 'listener', dnsNames: ['localhost'], ips: ['127.0.0.1'] });

async function openRouter(isSecure: boolean): Promise<Open> {
  const parts = createParts();
  const { proxy, port } = await parts.proxy({ listenerLimits: { ...PASSING_ON, stallMs: 400 } });
  const { gateways } = tableOf([backendOf('d/a:1', 1, await parts.says('hello'))]);
  const certificates = [{ hostname: undefined, certs: [pair.cert], keys: [pair.key] }];
  proxy.setTable(isSecure ? { gateways: [], secure: { gateways, certificates } } : { gateways });
  return { port, close: () => parts.close() };
}

async function openEgress(): Promise<Open> {
  const server = createServer(createEgress({ proxyFor: () => undefined, policy, limits: PASSING_ON })).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

async function openConsole(which: 'page' | 'ray-dashboards'): Promise<Open> {
  const engine = await startTestEngine();
  const folder = mkdtempSync(join(tmpdir(), 'manta-listener-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  const connection = await loadConnection({ kubeconfig: engine.admin.kubeconfig.path });
  const running = await startConsole({
    clock: systemClock,
    log: silentLogger,
    server: connection,
    client: engine.client,
    listen: { host: '127.0.0.1', port: 0 },
    hosts: [],
    rayDashboards: { listen: { host: '127.0.0.1', port: 0 }, dial: dialPod },
    folder,
    limits: LIMITS,
  });
  const close = async () => {
    await running.close();
    await engine.stop();
    rmSync(folder, { recursive: true });
  };
  return { port: which === 'page' ? running.port : (running.rayDashboardPort ?? 0), close };
}

const policy = createAddressPolicy({ engineRanges: [] });

const plain = { isSecure: false, hasHttp2: false, path: '/' } as const;
const routed = { hasHttp2: true, path: '/', refusal: 'stalled' } as const;

/** Everything of ours that speaks HTTP to whoever connects. */
export const LISTENERS: Readonly<Record<string, Listener>> = {
  'metrics and probes': {
    ...plain,
    file: 'packages/runtime/src/http-server.ts',
    refusal: 405,
    open: () => {
      const address = { host: '127.0.0.1', port: 0 };
      const handle = () => ({ status: 200, body: 'ok' });
      return startHttpServer({ name: 'test', flag: '', address, handle, log: silentLogger, limits: LIMITS });
    },
  },
  'the webhooks': {
    file: 'packages/operator/src/webhooks/server.ts',
    isSecure: true,
    hasHttp2: false,
    path: '/validate-ray-io-v1-rayjob',
    refusal: 413,
    open: () => {
      const world = { log: silentLogger, metrics: createMetricsRegistry() };
      return startWebhookServer({ ...world, port: 0, host: '127.0.0.1', certificate: pair, limits: LIMITS });
    },
  },
  'the router': {
    ...routed,
    isSecure: false,
    file: 'packages/router/src/proxy/listener.ts',
    open: () => openRouter(false),
  },
  'the router with TLS': {
    ...routed,
    isSecure: true,
    file: 'packages/router/src/proxy/tls-door.ts',
    open: () => openRouter(true),
  },
  'the embedded API server': {
    file: 'packages/apiserver/src/http/server.ts',
    isSecure: true,
    hasHttp2: true,
    path: '/api/v1/namespaces/default/configmaps',
    refusal: 413,
    open: async () => {
      // Whoever comes is an administrator: only then bodies are read.
      const groups = ['system:masters'];
      const tokens = new Map([['admin', { name: 'admin', uid: '', groups }]]);
      const engine = await startTestEngine({ limits: LIMITS, tokens });
      return { port: engine.server.port, close: () => engine.stop() };
    },
  },
  'the web console': {
    ...plain,
    // A request without a session is answered before its body is read.
    refusal: 'none',
    file: 'packages/console/src/start-console.ts',
    open: () => openConsole('page'),
  },
  'Ray dashboards of the web console': {
    ...plain,
    // Bodies are refused before they are read.
    refusal: 'none',
    file: 'packages/console/src/ray-dashboard/dashboard-server.ts',
    open: () => openConsole('ray-dashboards'),
  },
  'the proxy to Services': {
    ...plain,
    refusal: 'none',
    file: 'packages/kubelet/src/network/service-proxy.ts',
    open: async () => {
      const proxy = await startServiceProxy({
        dial: () => Promise.reject(new Error('nobody is there')),
        limits: PASSING_ON,
      });
      return { port: Number(new URL(proxy.url).port), close: () => proxy.close() };
    },
  },
  'the proxy of a Ray dashboard': {
    ...plain,
    refusal: 'none',
    file: 'packages/kubelet/src/network/dashboard-proxy.ts',
    open: async () => {
      const proxy = await startDashboardProxy({
        target: { host: 'a-head-svc.default.svc', port: 8265 },
        dial: () => Promise.reject(new Error('nobody is there')),
        port: 0,
        limits: PASSING_ON,
      });
      return { port: Number(new URL(proxy.url).port), close: () => proxy.close() };
    },
  },
  'the way out of pods': {
    ...plain,
    refusal: 'none',
    file: 'packages/kubelet/src/network/egress.ts',
    open: openEgress,
  },
};
