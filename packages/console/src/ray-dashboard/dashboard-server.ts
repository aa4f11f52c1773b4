import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { guardConnection, type ListenerTimeouts, messageOf } from '@manta/base';
import type { Clock } from '@manta/kube';
import { limitOptions, type Logger } from '@manta/runtime';
import { whileAllowed } from '../identity/while-allowed.ts';
import { LIVE_LOG, plainPath, useOf } from './allowed-paths.ts';
import { callHead } from './call-head.ts';
import { cookieFor, dashboardIdIn } from './dashboard-cookie.ts';
import type { DashboardSession, DashboardSessions } from './dashboard-sessions.ts';
import type { FoundHead, Heads } from './find-head.ts';
import type { HeadDial } from './head-dial.ts';
import { openHead } from './open-head.ts';
import { DASHBOARD_HEADERS, headersForBrowser, headersForHead } from './proxy-headers.ts';
import { refuseRequest, type DashboardRefusal } from './refuse-request.ts';
import { questionAbout, type ViewerRights } from './viewer-rights.ts';

/** What Ray dashboards are served with. */
export interface DashboardParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly heads: Heads;
  readonly rights: ViewerRights;
  readonly sessions: DashboardSessions;
  readonly dial: HeadDial;
  readonly limits: ListenerTimeouts;
  /** `host[:port]` that follows the label of a dashboard: `localhost:7482`, `ray.example.com`. */
  readonly suffix: () => string;
}

/** Where a ticket of the console is exchanged for a cookie. No path of Ray begins like this. */
export const TICKET_PATH = '/.manta/open';

/** Ray dashboards, read-only, each on a host of its own. Answers what the allow-list of paths and the viewer's rights permit. */
export function createDashboardServer(parts: DashboardParts): Server {
  const server = createServer(
    limitOptions({ ...parts.limits, requestMs: 0 }),
    guardConnection('ray dashboard', (request: IncomingMessage, response: ServerResponse) =>
      answer(parts, request, response),
    ),
  );
  server.on(
    'upgrade',
    guardConnection('ray dashboard', (request: IncomingMessage, socket: Duplex, first: Buffer) =>
      tunnel(parts, request, socket, first),
    ),
  );
  return server;
}

interface Admitted {
  readonly session: DashboardSession;
  readonly head: FoundHead;
  readonly signal: AbortSignal;
}

/** Everything that is checked before a head hears of a request. */
async function admit(
  parts: DashboardParts,
  request: IncomingMessage,
  left: AbortSignal,
): Promise<Admitted | DashboardRefusal> {
  const host = (request.headers.host ?? '').toLowerCase();
  const path = plainPath(request.url ?? '/');
  const use = path === undefined ? 'refused' : useOf(path);
  const refused = refuseRequest(request, { suffix: parts.suffix(), use, path: path ?? '' });
  if (refused !== undefined) return refused;
  const session = parts.sessions.find(dashboardIdIn(request.headers.cookie), host);
  if (session === undefined)
    return { status: 401, message: 'Open this Ray dashboard from the Manta console: its link logs you in here.' };
  const { target, viewer } = session;
  const verb = use === 'profile' ? 'ray:write' : 'get';
  const access = await openHead(parts, target, viewer, verb);
  if (!access.isAllowed) return { status: access.status, message: access.why };
  if (use === 'profile')
    parts.log.info('Profile', {
      user: viewer.viewer.user,
      namespace: target.namespace,
      cluster: access.head.cluster,
      path,
    });
  const signal = whileAllowed(questionAbout(verb, target.namespace, access.head.cluster), {
    client: viewer.access.client,
    clock: parts.clock,
    signal: AbortSignal.any([left, viewer.ended]),
  });
  return { session, head: access.head, signal };
}

async function answer(parts: DashboardParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.parse(request.url ?? '/', 'http://dashboard');
  if (url?.pathname === TICKET_PATH) return redeem(parts, request, response, url.searchParams.get('ticket') ?? '');
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('the browser left')));
  try {
    const admitted = await admit(parts, request, left.signal);
    if ('status' in admitted) return refuse(response, admitted);
    const { head, session, signal } = admitted;
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const headers = headersForHead(request.headers, head);
    const target = request.url ?? '/';
    const reply = await callHead(parts.dial, head, session.viewer.access, { method, target, headers, signal });
    if (reply.kind === 'upgraded') {
      reply.socket.destroy();
      return refuse(response, {
        status: 502,
        message: 'The head of the cluster answered with something else than asked for.',
      });
    }
    response.writeHead(reply.answer.statusCode ?? 502, headersForBrowser(reply.answer.headers));
    reply.answer.once('error', () => response.destroy());
    reply.answer.once('aborted', () => response.destroy());
    reply.answer.pipe(response);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else refuse(response, { status: 502, message: `The head of the cluster did not answer: ${messageOf(error)}` });
  }
}

/** The live log of a job. Without extensions: Ray's log breaks off with compression. */
async function tunnel(parts: DashboardParts, request: IncomingMessage, socket: Duplex, first: Buffer): Promise<void> {
  socket.on('error', () => socket.destroy());
  const left = new AbortController();
  socket.once('close', () => left.abort(new Error('the browser left')));
  const hangUp = ({ status, message }: DashboardRefusal) => {
    // The caller's half of the connection would stay open as long as the caller likes.
    socket.once('finish', () => socket.destroy());
    socket.end(
      `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(message)}\r\nconnection: close\r\n\r\n${message}`,
    );
  };
  try {
    const { origin, host, upgrade } = request.headers;
    const key = request.headers['sec-websocket-key'];
    if (
      upgrade?.toLowerCase() !== 'websocket' ||
      key === undefined ||
      !LIVE_LOG.test(plainPath(request.url ?? '') ?? '')
    )
      return hangUp({ status: 404, message: 'There is nothing to upgrade here.' });
    if (origin === undefined || URL.parse(origin)?.host !== host)
      return hangUp({ status: 403, message: 'A page of another origin may not read this.' });
    const admitted = await admit(parts, request, left.signal);
    if ('status' in admitted) return hangUp(admitted);
    const { head, session, signal } = admitted;
    const headers = {
      ...headersForHead({}, head),
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
    };
    const target = request.url ?? '/';
    const reply = await callHead(parts.dial, head, session.viewer.access, { method: 'GET', target, headers, signal });
    if (reply.kind === 'answer') {
      reply.answer.destroy();
      return hangUp({ status: 502, message: `The head of the cluster answered ${reply.answer.statusCode ?? 0}.` });
    }
    const accept = reply.answer.headers['sec-websocket-accept'] ?? '';
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    join(socket, first, reply.socket, reply.first);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
  } catch (error) {
    hangUp({ status: 502, message: `The head of the cluster did not answer: ${messageOf(error)}` });
  }
}

function join(near: Duplex, nearFirst: Buffer, far: Duplex, farFirst: Buffer): void {
  far.on('error', () => far.destroy());
  near.write(farFirst);
  far.write(nearFirst);
  near.pipe(far).pipe(near);
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
}

function redeem(parts: DashboardParts, request: IncomingMessage, response: ServerResponse, ticket: string): void {
  const host = (request.headers.host ?? '').toLowerCase();
  const id = request.method === 'GET' ? parts.sessions.redeem(ticket, host) : undefined;
  if (id === undefined)
    return refuse(response, {
      status: 403,
      message: 'This link was used already or has expired: open it from the console again.',
    });
  // Browsers keep the fragment of a link that redirects, so a link to #/jobs arrives there.
  response.writeHead(303, {
    ...DASHBOARD_HEADERS,
    location: '/',
    'cache-control': 'no-store',
    'set-cookie': cookieFor(id),
  });
  response.end();
}

function refuse(response: ServerResponse, { status, message }: DashboardRefusal): void {
  const headers = { ...DASHBOARD_HEADERS, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  // A body that was not read must not be taken for the next request.
  response.writeHead(status, { ...headers, connection: 'close' });
  response.end(`${message}\n`);
}
