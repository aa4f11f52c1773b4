import { guardConnection, type ListenerTimeouts, timeoutOptions } from '@manta/base';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { admitFirst } from './admit-first.ts';
import { cookiesFor, ownCookies, whyForeign } from './dashboard-requests.ts';
import { join } from './join.ts';
import type { Admit } from './loopback-access.ts';
import { endToEnd, refuse, refuseTunnel, relay } from './relay.ts';
import { type Dial, PROXY_LIMITS } from './service-proxy.ts';

const HOST = '127.0.0.1';
const PLACE = 'dashboard';

/** Where a dashboard is: the name of the head's Service and its port. */
export interface DashboardTarget {
  readonly host: string;
  readonly port: number;
}

export interface DashboardProxyOptions {
  readonly target: DashboardTarget;
  readonly dial: Dial;
  /** The loopback port; 0 is any. */
  readonly port: number;
  /** Which connections are served; all unless given. */
  readonly admit?: Admit | undefined;
  readonly limits?: ListenerTimeouts;
}

/** One Ray dashboard on a loopback port. */
export interface DashboardProxy {
  readonly url: string;
  close(): void;
}

/**
 * Serves the dashboard and the job API of one Ray head on a loopback port. Pages of other origins cannot use it: requests for another host
 * name (DNS rebinding) and requests that a browser marks as sent by another origin are refused. Cookies are kept apart from those of other ports
 * of this host. Rejects if the port cannot be listened on.
 */
export async function startDashboardProxy(options: DashboardProxyOptions): Promise<DashboardProxy> {
  const { target, dial, port, admit, limits = PROXY_LIMITS } = options;
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(
    timeoutOptions(limits),
    guardConnection(PLACE, (request: IncomingMessage, response: ServerResponse) => serve(request, response)),
  );
  server.on(
    'upgrade',
    guardConnection(PLACE, (request: IncomingMessage, socket: Duplex, head: Buffer) => upgrade(request, socket, head)),
  );
  const waiting = admitFirst(server, PLACE, admit);
  const upgraded = new Set<Duplex>();
  server.listen(port, HOST);
  await once(server, 'listening');
  // A connection that could not be accepted does not end the proxy.
  server.on('error', () => undefined);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : 0;
  const headersFor = (request: IncomingMessage) => ({
    host: `${target.host}:${target.port}`,
    ...cookiesFor(request.headers.cookie, bound),
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const why = whyForeign(request, bound);
    if (why !== undefined) {
      refuse(response, 403, why);
      return;
    }
    try {
      const socket = await dial(target.host, target.port);
      await relay(request, response, {
        socket,
        method: request.method,
        path: request.url ?? '/',
        headers: { ...endToEnd(request.headers, WITHHELD), ...headersFor(request) },
        answerHeaders: (headers) => ({ ...headers, ...ownCookies(headers['set-cookie'], bound), ...NO_FRAMES }),
      });
    } catch (error) {
      refuse(response, 502, error);
    }
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const why = whyForeign(request, bound);
    if (why !== undefined) {
      refuseTunnel(socket, '403 Forbidden', why);
      return;
    }
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    try {
      const far = await dial(target.host, target.port);
      far.write(headOf(request, headersFor(request)));
      if (head.length > 0) far.write(head);
      join(socket, far);
    } catch (error) {
      refuseTunnel(socket, '502 Bad Gateway', error);
    }
  }

  return {
    url: `http://${HOST}:${bound}/`,
    close() {
      server.close();
      server.closeAllConnections();
      for (const socket of [...waiting, ...upgraded]) socket.destroy();
    },
  };
}

const WITHHELD: ReadonlySet<string> = new Set(['host', 'cookie']);
/** A page of another origin must not show the dashboard in a frame and guide the user's clicks. */
const NO_FRAMES = { 'x-frame-options': 'SAMEORIGIN' };

/** The head of a request to change the protocol, as it goes on to the head pod. */
function headOf(request: IncomingMessage, changed: Readonly<Record<string, string>>): string {
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? '';
    if (!WITHHELD.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[at + 1]}`);
  }
  for (const [name, value] of Object.entries(changed)) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
