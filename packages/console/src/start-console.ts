import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { LISTENER_LIMITS } from '@manta/base';
import type { Clock, Connection, KubeClient } from '@manta/kube';
import type { ListenAddress, Logger } from '@manta/runtime';
import { createConsoleApp } from './console-app.ts';
import { loadStaticFiles } from './http/static-files.ts';
import { BearerClients } from './identity/bearer-clients.ts';
import { OneTimeCodes } from './identity/one-time-codes.ts';
import { Sessions } from './identity/sessions.ts';
import { createCaches, runCaches } from './live/caches.ts';

export interface ConsoleOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the API server is, with the account of the caches. */
  readonly server: Connection;
  readonly client: KubeClient;
  readonly listen: ListenAddress;
  /** Further `host[:port]` values under which browsers reach the console, behind an Ingress for instance. */
  readonly hosts: readonly string[];
  /** The built page. */
  readonly folder: string;
  /** Whether links log their bearer in as the account of the console: only for an engine on one's own machine. */
  readonly hasOneTimeUrls: boolean;
}

export interface RunningConsole {
  readonly port: number;
  readonly url: string;
  /** A new link that logs in once; the plain URL where there are none. */
  oneTimeUrl(): string;
  close(): Promise<void>;
}

/** Serves the console. Rejects with one readable line if it cannot listen or if the page was not built. */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { clock, log, server: connection, client, listen, hasOneTimeUrls } = options;
  const caches = createCaches({ clock, random: Math.random, client, log });
  const sessions = new Sessions(clock);
  const clients = new BearerClients(connection, clock);
  const codes = new OneTimeCodes(clock);
  const hosts: string[] = options.hosts.map((host) => host.toLowerCase());
  const app = createConsoleApp({
    clock,
    log,
    server: connection,
    caches,
    sessions,
    clients,
    files: loadStaticFiles(options.folder),
    hosts: () => hosts,
    methods: hasOneTimeUrls ? ['one-time-url', 'token'] : ['token'],
    ...(hasOneTimeUrls ? { codes } : {}),
  });
  const { headersMs, idleMs, checkMs, headerBytes } = LISTENER_LIMITS;
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer(
    {
      headersTimeout: headersMs,
      // A log or a watch goes on for hours: only the head of a request has a time limit.
      requestTimeout: 0,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: checkMs,
      maxHeaderSize: headerBytes,
    },
    (request, response) => void listener(request, response),
  );
  const port = await listenOn(server, listen);
  const host = listen.host ?? '127.0.0.1';
  hosts.push(`${host}:${port}`, `localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`);
  const stop = new AbortController();
  const following = runCaches(caches, stop.signal);
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
  return {
    port,
    url,
    oneTimeUrl: () => (hasOneTimeUrls ? `${url}login/once?code=${codes.issue()}` : url),
    close: async () => {
      sessions.endAll();
      clients.closeAll();
      stop.abort();
      server.closeAllConnections();
      await new Promise((done) => {
        server.close(done);
      });
      await following;
    },
  };
}

function listenOn(server: Server, { host, port }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const cause = error.code === 'EADDRINUSE' ? 'address already in use' : error.message;
      reject(
        new Error(
          `cannot listen on ${host ?? ''}:${port}: ${cause}. Choose another port with --console-port, or 0 for any free port.`,
        ),
      );
    });
    server.listen(port, host ?? '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
