import { once } from 'node:events';
import { startConsole } from '@manta/console';
import { createKubeClient, createTransport, loadConnection, systemClock } from '@manta/kube';
import { createLogger, createStderrSink, encodeConsole, encodeJson, type ListenAddress } from '@manta/runtime';
import { pageFolder } from './page-folder.ts';

export interface RunConsoleOptions {
  readonly listen: ListenAddress;
  readonly hosts: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly logFormat: 'console' | 'json';
  /** Called once browsers are served. */
  readonly onServing?: (url: string) => void;
  /** Called with a link that logs in once; only for an engine on one's own machine. */
  readonly onLink?: (url: string) => void;
}

/** Serves the web console until `stop` is aborted. Rejects with one readable line where it cannot start. */
export async function runConsole(options: RunConsoleOptions, version: string, stop: AbortSignal): Promise<void> {
  const folder = await pageFolder();
  if (folder === undefined)
    throw new Error('this installation has no console page: use a release, or run `npm run console:build` in a clone');
  const clock = systemClock;
  const encode = options.logFormat === 'json' ? encodeJson : encodeConsole;
  const log = createLogger({ clock, main: { sink: createStderrSink(clock), encode } });
  const server = await loadConnection({ kubeconfig: options.kubeconfig });
  const transport = createTransport({ connection: server, clock, userAgent: `manta-console/${version}` });
  const client = createKubeClient({ transport, clock });
  const { listen, hosts, onLink } = options;
  try {
    const running = await startConsole({
      clock,
      log: log.named('console'),
      server,
      client,
      listen,
      hosts,
      folder,
      onLink,
    });
    options.onServing?.(running.url);
    if (!stop.aborted) await once(stop, 'abort');
    await running.close();
  } finally {
    await transport.close();
    await log.flush();
  }
}
