import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { guardConnection, type ListenerTimeouts } from '@manta/base';
import type { Clock, Connection, KubeClient } from '@manta/kube';
import { limitOptions, type ListenAddress, type Logger, SHORT_REQUESTS } from '@manta/runtime';
import { createConsoleApp } from './console-app.ts';
import type { ConsoleParts } from './console-parts.ts';
import { createExecSockets } from './exec/exec-socket.ts';
import { closeServer, listenOn } from './http/listen.ts';
import { loadStaticFiles } from './http/static-files.ts';
import { BearerClients } from './identity/bearer-clients.ts';
import { Oidc, type OidcOptions } from './identity/oidc.ts';
import { OneTimeCodes } from './identity/one-time-codes.ts';
import { Sessions } from './identity/sessions.ts';
import type { TrustedHeaderOptions } from './identity/trusted-header.ts';
import { createCaches, runCaches } from './live/caches.ts';
import { type DashboardOptions, startDashboards } from './ray-dashboard/start-dashboards.ts';

/** How long a browser may take to send a whole request, over a slow network, too. */
const REQUEST_MS = 60_000;

export interface ConsoleOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the API server is, with the account of the caches. */
  readonly server: Connection;
  readonly client: KubeClient;
  readonly listen: ListenAddress;
  /** Further `host[:port]` values under which browsers reach the console, behind an Ingress for instance. */
  readonly hosts: readonly string[];
  readonly limits?: ListenerTimeouts;
  /** The built page. */
  readonly folder: string;
  /** Absent: nobody logs in at an OIDC provider. */
  readonly oidc?: OidcOptions | undefined;
  /** Whether writes of Ray objects fill in `computeTemplate`, like KubeRay's API server; false unless given. */
  readonly hasComputeTemplates?: boolean | undefined;
  /** Absent: no auth proxy is trusted. */
  readonly trustedHeader?: TrustedHeaderOptions | undefined;
  /** Absent: no Ray dashboards are served, and nothing is sent to Ray heads. */
  readonly rayDashboards?: DashboardOptions | undefined;
  /**
   * Present: links log whoever opens them in as the account of the console, each once. Only for an engine on one's own machine. Called
   * with an unused link at the start, again whenever one was used, and before an unused one expires.
   */
  readonly onLink?: ((url: string) => void) | undefined;
}

export interface RunningConsole {
  readonly port: number;
  readonly url: string;
  /** Where Ray dashboards are served. */
  readonly rayDashboardPort?: number;
  close(): Promise<void>;
}

/** Serves the console. Rejects with one readable line if it cannot listen or if the page was not built. */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { clock, log, server: connection, client, listen, onLink } = options;
  const caches = createCaches({ clock, random: Math.random, client, log });
  const sessions = new Sessions(clock);
  const clients = new BearerClients(connection, clock);
  const codes = onLink === undefined ? undefined : new OneTimeCodes(clock);
  const files = loadStaticFiles(options.folder);
  const dashboards =
    options.rayDashboards === undefined
      ? undefined
      : await startDashboards(options.rayDashboards, { clock, log, client, limits: options.limits });
  const hosts: string[] = options.hosts.map((host) => host.toLowerCase());
  const parts: ConsoleParts = {
    clock,
    log,
    server: connection,
    caches,
    dashboards,
    sessions,
    clients,
    files,
    hosts: () => hosts,
    oidc: options.oidc === undefined ? undefined : new Oidc(options.oidc, clock),
    trustedHeader: options.trustedHeader,
    hasComputeTemplates: options.hasComputeTemplates ?? false,
    methods: [
      ...(options.trustedHeader === undefined ? [] : (['proxy-header'] as const)),
      ...(options.oidc === undefined ? [] : (['oidc'] as const)),
      ...(codes === undefined ? [] : (['one-time-url'] as const)),
      'token',
      'kubeconfig',
    ],
    ...(codes === undefined ? {} : { codes, onCodeUsed: () => announce() }),
  };
  const app = createConsoleApp(parts);
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer(
    // The time limit ends with the last byte of the request: answers such as logs and watches go on for hours.
    limitOptions({ ...(options.limits ?? SHORT_REQUESTS), requestMs: REQUEST_MS }),
    guardConnection('console', listener),
  );
  server.on('upgrade', guardConnection('console', createExecSockets(parts)));
  // Links are those of `manta up`.
  const flag = onLink === undefined ? '--listen' : '--console-port';
  const port = await listenOn(server, listen, flag).catch(async (error: unknown) => {
    // It would keep the process alive that cannot start.
    await dashboards?.close();
    throw error;
  });
  const host = listen.host ?? '127.0.0.1';
  hosts.push(`${host}:${port}`, `localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`);
  const stop = new AbortController();
  const following = runCaches(caches, stop.signal);
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
  let cancelRenewal: () => void = () => undefined;
  const announce = () => {
    cancelRenewal();
    if (codes === undefined) return;
    onLink?.(`${url}login/once?code=${codes.issue()}`);
    // A link that nobody used expires, too.
    cancelRenewal = clock.setTimer(codes.lifetimeMs / 2, announce);
  };
  announce();
  return {
    port,
    url,
    ...(dashboards === undefined ? {} : { rayDashboardPort: dashboards.port }),
    close: async () => {
      cancelRenewal();
      sessions.endAll();
      clients.closeAll();
      stop.abort();
      await Promise.all([closeServer(server), dashboards?.close(), following]);
    },
  };
}
