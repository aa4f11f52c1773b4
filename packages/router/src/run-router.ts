import { messageOf } from '@manta/base';
import { createKubeClient, createTransport, loadConnection, systemClock } from '@manta/kube';
import {
  createLogger,
  createManager,
  createMetricsHandler,
  createMetricsRegistry,
  createRestClientObserver,
  createStderrSink,
  encodeConsole,
  encodeJson,
  formatListenAddress,
  type ListenAddress,
  registerProcessMetrics,
  reportFailures,
  startHttpServer,
  thisProcess,
  type World,
} from '@manta/runtime';
import { createGatewayRouter } from './gateway/gateway-router.ts';
import { installCrds } from './gateway/writes.ts';
import type { Dial } from './proxy/dial.ts';
import type { Admit } from './proxy/listener.ts';
import { trustNetworks } from './proxy/forwarded.ts';
import { createProxy, type Proxy } from './proxy/proxy.ts';
import { observeInMetrics, showOutstanding } from './router-metrics.ts';

/** What `manta router` was asked for. */
export interface RouterOptions {
  readonly listen: readonly ListenAddress[];
  /** Where /metrics is served; undefined: nowhere. */
  readonly metrics: ListenAddress | undefined;
  readonly gatewayClass: string;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly kubeconfig: string | undefined;
  /** What Gateways say of where they are reached: IP addresses or host names. */
  readonly addresses: readonly string[];
  readonly installCrds: boolean;
  readonly connectTimeoutMs: number;
  /** Undefined: answers may take as long as they like. */
  readonly answerTimeoutMs: number | undefined;
  /** How long to keep serving after the stop signal, until endpoints are updated. */
  readonly shutdownDelayMs: number;
  /** How long requests that are under way may take to end after that. */
  readonly shutdownGraceMs: number;
  /** Proxies in front of the router, as addresses or networks: what they say about their clients is passed on. */
  readonly trustedProxies?: readonly string[];
  readonly logFormat: 'console' | 'json';
}

/** What a program that has the router inside it brings. */
export interface RouterParts {
  /** How pods are reached, where the system's own network does not lead to them. */
  readonly dial?: Dial;
  /** Which connections of clients are served; all unless given. */
  readonly admit?: Admit | undefined;
  /** Called with each port when it serves clients. */
  readonly onServing?: (port: number) => void;
}

/** Runs the router until `stop` is aborted and what was under way has ended. Rejects with one readable line where it cannot start. */
export async function runRouter(
  options: RouterOptions,
  version: string,
  stop: AbortSignal,
  parts: RouterParts = {},
): Promise<void> {
  const clock = systemClock;
  const encode = options.logFormat === 'json' ? encodeJson : encodeConsole;
  const log = createLogger({ clock, main: { sink: createStderrSink(clock), encode } });
  const metrics = createMetricsRegistry();
  registerProcessMetrics(metrics, thisProcess());
  const stopReports = reportFailures(log, metrics);
  const connection = await loadConnection({ kubeconfig: options.kubeconfig });
  const observer = createRestClientObserver(metrics);
  const transport = createTransport({ connection, clock, userAgent: `manta-router/${version}`, observer });
  const client = createKubeClient({ transport, clock, observer, host: connection.server.host });
  // The clock's timers do not keep a process alive, and while the API server is away there may be nothing else that does.
  const stayAlive = setInterval(() => undefined, STAY_ALIVE_MS);
  try {
    if (options.installCrds) {
      for (const name of await installCrds(client)) log.info('Installed a definition', { name });
    }
    await route({ clock, random: Math.random, client, log, metrics }, options, stop, parts);
  } finally {
    clearInterval(stayAlive);
    stopReports();
    await transport.close();
    await log.flush();
  }
}

const STAY_ALIVE_MS = 2 ** 30;

/** Starts all parts and runs them until `stop` is aborted. */
async function route(world: World, options: RouterOptions, stop: AbortSignal, parts: RouterParts): Promise<void> {
  const proxy = createProxy({
    clock: world.clock,
    random: world.random,
    limits: { connectMs: options.connectTimeoutMs, answerMs: options.answerTimeoutMs },
    observer: observeInMetrics(world.metrics),
    dial: parts.dial,
    admit: parts.admit,
    trust: trustNetworks(options.trustedProxies ?? []),
  });
  showOutstanding(world.metrics, proxy);
  const router = createGatewayRouter(world, {
    proxy,
    className: options.gatewayClass,
    namespaces: options.namespaces,
    addresses: options.addresses.length === 0 ? undefined : options.addresses.map(toStatusAddress),
  });
  const delayedStop = new AbortController();
  const beginToStop = () => {
    world.log.named('router').info('Stopping', { afterMs: options.shutdownDelayMs });
    world.clock.setTimer(options.shutdownDelayMs, () => delayedStop.abort());
  };
  stop.addEventListener('abort', beginToStop, { once: true });
  if (stop.aborted) beginToStop();
  const manager = createManager(world, {
    informers: router.informers,
    controllers: router.controllers,
    gracePeriodMs: options.shutdownGraceMs + MANAGER_MARGIN_MS,
    runnables: [
      ...router.runnables,
      {
        name: 'proxy',
        needsLeader: false,
        async run(signal) {
          await Promise.race([router.hasNews, aborted(signal)]);
          if (signal.aborted) return;
          await serve(proxy, options, world, parts);
          router.announce();
          await aborted(signal);
          await proxy.close(options.shutdownGraceMs);
        },
      },
      { name: 'metrics', needsLeader: false, run: (signal) => serveMetrics(world, options, signal) },
    ],
  });
  await manager.run(delayedStop.signal);
}

const MANAGER_MARGIN_MS = 5_000;

async function serve(proxy: Proxy, { listen }: RouterOptions, { log }: World, parts: RouterParts): Promise<void> {
  for (const address of listen) {
    try {
      const port = await proxy.listen(address);
      parts.onServing?.(port);
      log.named('router').info('Serving', { address: formatListenAddress({ ...address, port }) });
    } catch (error) {
      const why = messageOf(error);
      throw new Error(
        `the router cannot listen on ${formatListenAddress(address)}: ${why}; choose another address with --listen`,
        {
          cause: error,
        },
      );
    }
  }
}

async function serveMetrics(world: World, { metrics: address }: RouterOptions, signal: AbortSignal): Promise<void> {
  if (address === undefined) return;
  const handle = createMetricsHandler(world.metrics);
  const log = world.log.named('router');
  const server = await startHttpServer({ name: 'metrics server', flag: '--metrics-addr', address, handle, log });
  log.info('Serving metrics', { address: formatListenAddress({ ...address, port: server.port }) });
  await aborted(signal);
  await server.close();
}

function toStatusAddress(value: string) {
  const isIp = /^[0-9.]+$/.test(value) || value.includes(':');
  return { type: isIp ? 'IPAddress' : 'Hostname', value };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
