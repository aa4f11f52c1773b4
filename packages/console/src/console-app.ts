import { ApiError } from '@manta/kube';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ConsoleParts } from './console-parts.ts';
import { isName } from './http/names.ts';
import { isForeignRead, keyIn, refuse } from './http/request-guard.ts';
import { NOT_CACHED, SECURITY_HEADERS } from './http/security-headers.ts';
import { clearCookie, sessionIdIn, setCookie } from './identity/session-cookie.ts';
import type { ViewerSession } from './identity/sessions.ts';
import { openViewerAccess, type Viewer, whoAmI } from './identity/viewer.ts';
import { whileAllowed } from './identity/while-allowed.ts';
import { streamResponse } from './live/stream-response.ts';
import { logResponse } from './logs/log-response.ts';
import { podLogSource } from './logs/pod-log.ts';
import { addRayRoutes } from './ray-routes.ts';
import { passToApiServer, problem } from './passthrough/pass-to-api-server.ts';
import type { LoginMethods, NewSession, Session } from './protocol.ts';

const MAX_TOKEN_LENGTH = 16 * 1024;
const MAX_LOGIN_BYTES = 2 * MAX_TOKEN_LENGTH;

/** All routes of the console. Each answer carries the security headers; each write leaves an audit line. */
export function createConsoleApp(parts: ConsoleParts): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    const { method, raw } = context.req;
    const bearer = bearerIn(raw.headers);
    const refused = refuse(bearer === undefined ? method : 'GET', raw.headers, { hosts: parts.hosts() });
    if (refused !== undefined) return problem(refused.status, refused.message);
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    return undefined;
  });
  app.onError((error) => {
    if (error instanceof ApiError) return problem(error.code === 401 ? 401 : 502, error.message);
    parts.log.error('A request failed', error);
    return problem(500, 'the console failed to answer; its log has the cause');
  });
  app.get('/api/session', (context) => {
    const session = sessionOf(parts, context);
    if (session !== undefined) return context.json(describe(parts, session), 200, NOT_CACHED);
    return context.json({ methods: parts.methods } satisfies LoginMethods, 401, NOT_CACHED);
  });
  app.post('/api/login/token', bodyLimit({ maxSize: MAX_LOGIN_BYTES, onError: loginTooLarge }), async (context) => {
    const body: unknown = await context.req.json().catch(() => undefined);
    const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
    if (typeof token !== 'string' || token === '' || token.length > MAX_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(token))
      return problem(400, 'the body must be {"token": "<bearer token>"}: one line of printable characters');
    const session = await logIn(parts, {
      method: 'token',
      credentials: { headers: { authorization: `Bearer ${token}` } },
    });
    if (session instanceof Response) return session;
    const answer: NewSession = { ...describe(parts, session), key: session.key };
    return Response.json(answer, { headers: { ...NOT_CACHED, 'set-cookie': cookieOf(parts, session) } });
  });
  app.get('/login/once', async (context) => {
    const code = context.req.query('code') ?? '';
    if (parts.codes?.redeem(code) !== true)
      return problem(403, 'this link was used already or has expired: `bin/manta status` prints a new one');
    parts.onCodeUsed?.();
    const session = await logIn(parts, { method: 'one-time-url', credentials: await parts.server.credentials() });
    if (session instanceof Response) return session;
    return new Response(null, {
      status: 303,
      // Browsers keep a fragment to themselves; the page stores the key and takes it out of its URL.
      headers: { ...SECURITY_HEADERS, location: `/#key=${session.key}`, 'set-cookie': cookieOf(parts, session) },
    });
  });
  app.post('/api/logout', (context) => {
    const session = sessionOf(parts, context);
    if (session !== undefined) parts.sessions.end(session.id, 'you logged out');
    return new Response(null, { status: 204, headers: { ...SECURITY_HEADERS, 'set-cookie': clearCookie() } });
  });
  app.get('/api/stream', (context) => {
    const session = readerOf(parts, context);
    if (session === undefined) return problem(401, 'log in first');
    return streamResponse(parts, session, context.req.raw.signal);
  });
  app.get('/api/logs/pods/:namespace/:pod', (context) => {
    const session = readerOf(parts, context);
    return session === undefined ? problem(401, 'log in first') : podLog(parts, context, session);
  });
  addRayRoutes(app, parts, (context) => readerOf(parts, context));
  app.all('/api/v1/*', (context) => pass(parts, context));
  app.all('/apis/*', (context) => pass(parts, context));
  app.get('/version', (context) => pass(parts, context));
  app.get('/healthz', (context) => context.text('ok'));
  app.get('*', (context) => staticFile(parts, context));
  return app;
}

/** Verifies the credentials at the API server before a session exists. */
async function logIn(
  parts: ConsoleParts,
  login: Pick<Viewer, 'method' | 'credentials'>,
): Promise<ViewerSession | Response> {
  const access = openViewerAccess(parts.server, login.credentials, parts.clock);
  try {
    const viewer: Viewer = { ...login, ...(await whoAmI(access.client)) };
    const session = parts.sessions.start(viewer, access);
    parts.log.info('Logged in', { user: viewer.user, method: viewer.method });
    return session;
  } catch (error) {
    await access.transport.close();
    if (error instanceof ApiError && error.code === 401)
      return problem(
        401,
        'the API server does not accept these credentials: get a new token, for example with `kubectl create token`',
      );
    throw error;
  }
}

function cookieOf({ clock }: ConsoleParts, { id, expiresAtMs }: ViewerSession): string {
  return setCookie(id, (expiresAtMs - clock.now()) / 1000);
}

function loginTooLarge(): Response {
  return problem(413, `the body is larger than ${MAX_LOGIN_BYTES} bytes, the limit of a login`);
}

async function pass(parts: ConsoleParts, context: Context): Promise<Response> {
  const { raw, method, path } = context.req;
  const token = bearerIn(raw.headers);
  if (token !== undefined) {
    const { client, transport } = parts.clients.of(token);
    const answer = await passToApiServer(raw, { client, transport, caller: 'client', signal: raw.signal });
    if (answer.status !== 401) {
      parts.clients.accept(token);
      return answer;
    }
    // Read whole: the connection of a refused token is closed at once.
    const body = await answer.arrayBuffer();
    parts.clients.reject(token);
    return new Response(body, answer);
  }
  const session = readerOf(parts, context);
  if (session === undefined) return problem(401, 'log in first');
  const answer = await passToApiServer(raw, { ...session.access, caller: 'page', signal: session.ended });
  if (answer.status === 401) parts.sessions.end(session.id, 'the API server no longer accepts your credentials');
  if (method !== 'GET') parts.log.info('Write', { user: session.viewer.user, method, path, status: answer.status });
  return answer;
}

function podLog({ clock }: ConsoleParts, context: Context, { access, ended }: ViewerSession): Response {
  const namespace = context.req.param('namespace') ?? '';
  const pod = context.req.param('pod') ?? '';
  if (!isName(namespace) || !isName(pod)) return problem(404, 'the path names no pod');
  const params = new URL(context.req.url).searchParams;
  const question = { verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace, name: pod };
  const left = new AbortController();
  const open = AbortSignal.any([ended, context.req.raw.signal, left.signal]);
  const signal = whileAllowed(question, { client: access.client, clock, signal: open });
  const onEnd = () => left.abort(new Error('the log has ended'));
  return logResponse(podLogSource({ namespace, pod, params }, access, signal), { clock, signal, onEnd });
}

function staticFile({ files }: ConsoleParts, context: Context): Response {
  // Every view has a URL of its own: what is not a file is the page, which looks at the URL itself.
  const file = files.get(context.req.path) ?? (/\.\w+$/.test(context.req.path) ? undefined : files.get('/index.html'));
  return file === undefined
    ? problem(404, `there is no file ${context.req.path}`)
    : new Response(file.body, { headers: { ...SECURITY_HEADERS, ...file.headers } });
}

function sessionOf({ sessions }: ConsoleParts, context: Context): ViewerSession | undefined {
  const { raw } = context.req;
  return sessions.find(sessionIdIn(raw.headers.get('cookie') ?? undefined), keyIn(raw.headers, raw.url));
}

/** The session of a request that may read data: it comes from the console's own page. */
function readerOf(parts: ConsoleParts, context: Context): ViewerSession | undefined {
  return isForeignRead(context.req.raw.headers) ? undefined : sessionOf(parts, context);
}

function describe({ dashboards }: ConsoleParts, { viewer, expiresAtMs }: ViewerSession): Session {
  const { user, groups, method } = viewer;
  const expiresAt = new Date(expiresAtMs).toISOString();
  return { user, groups, method, expiresAt, hasRayDashboards: dashboards !== undefined };
}

function bearerIn(headers: Headers): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/.exec(headers.get('authorization') ?? '')?.[1];
}
