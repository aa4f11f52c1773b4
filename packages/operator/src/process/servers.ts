import {
  createMetricsHandler,
  formatListenAddress,
  type Health,
  type Logger,
  type MetricsRegistry,
  parseListenAddress,
  startHttpServer,
} from '@manta/runtime';
import type { OperatorOptions } from '../options/options.ts';
import { StartError } from './start-error.ts';

/** Serves /metrics, and /healthz with /readyz, each on its own address; an address of `0` is not served. */
export async function startServers(
  options: OperatorOptions,
  metrics: MetricsRegistry,
  health: Health,
  log: Logger,
): Promise<{ close(): Promise<void> }> {
  const wanted = [
    {
      name: 'metrics server',
      flag: '--metrics-addr',
      text: options.metricsAddress,
      handle: createMetricsHandler(metrics),
    },
    {
      name: 'health probe server',
      flag: '--health-probe-bind-address',
      text: options.probeAddress,
      handle: health.handle,
    },
  ];
  const running: { close(): Promise<void> }[] = [];
  const close = async () => void (await Promise.all(running.map((server) => server.close())));
  for (const { name, flag, text, handle } of wanted) {
    const parsed = parseListenAddress(text);
    if (parsed.kind === 'disabled') continue;
    try {
      if (parsed.kind === 'invalid') throw new Error(`${flag}: ${parsed.message}`);
      const server = await startHttpServer({ name, flag, address: parsed.address, handle, log });
      running.push(server);
      log.info('Serving', { server: name, bindAddress: formatListenAddress({ ...parsed.address, port: server.port }) });
    } catch (error) {
      await close();
      throw new StartError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
  return { close };
}
