import { once } from 'node:events';
import { type ConsoleOptions, dialPod, forwardToPod, type HeadDial, startConsole } from '@manta/console';
import { createKubeClient, createTransport, isInCluster, loadConnection, systemClock, systemHost } from '@manta/kube';
import { createLogger, createStderrSink, encodeConsole, encodeJson, type ListenAddress } from '@manta/runtime';
import { pageFolder } from './page-folder.ts';

export interface RunConsoleOptions {
  readonly listen: ListenAddress;
  readonly hosts: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly logFormat: 'console' | 'json';
  /** Absent: no Ray dashboards. */
  readonly rayDashboards?: {
    readonly port: number;
    /** Absent: hosts below `localhost`. */
    readonly url?: string | undefined;
    /** Absent: straight to pods from inside a cluster, else by port-forward with the viewer's identity. */
    readonly dial?: HeadDial;
  };
  /** Further ways to log in. */
  readonly login?: Pick<ConsoleOptions, 'oidc' | 'trustedHeader'>;
  readonly hasComputeTemplates?: boolean | undefined;
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
  const { listen, hosts, onLink, rayDashboards } = options;
  const dial = options.kubeconfig === undefined && isInCluster(systemHost()) ? dialPod : forwardToPod(clock);
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
      ...options.login,
      hasComputeTemplates: options.hasComputeTemplates,
      ...(rayDashboards === undefined
        ? {}
        : {
            rayDashboards: {
              listen: { ...listen, port: rayDashboards.port },
              url: rayDashboards.url,
              dial: rayDashboards.dial ?? dial,
            },
          }),
    });
    options.onServing?.(running.url);
    if (!stop.aborted) await once(stop, 'abort');
    await running.close();
  } finally {
    await transport.close();
    await log.flush();
  }
}
