import { ApiError, type Credentials } from '@manta/kube';
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ConsoleParts } from './console-parts.ts';
import { isForeignRead } from './http/request-guard.ts';
import { NOT_CACHED, SECURITY_HEADERS } from './http/security-headers.ts';
import { impersonate, type NamedUser, whyNotImpersonated } from './identity/impersonation.ts';
import { readKubeconfig } from './identity/kubeconfig-login.ts';
import { OidcFailed } from './identity/oidc.ts';
import { clearCookie, loginCookie, loginIdIn, setCookie } from './identity/session-cookie.ts';
import type { ViewerSession } from './identity/sessions.ts';
import { userNamedIn } from './identity/trusted-header.ts';
import { openViewerAccess, type Viewer, whoAmI } from './identity/viewer.ts';
import { problem } from './passthrough/pass-to-api-server.ts';
import type { LoginMethod, NewSession, Session } from './protocol.ts';

const MAX_TOKEN_LENGTH = 16 * 1024;
const MAX_LOGIN_BYTES = 64 * 1024;

/** All ways to log in and out. Each verifies the credentials at the API server before a session exists. */
export function addLoginRoutes(
  app: Hono,
  parts: ConsoleParts,
  sessionOf: (context: Context) => ViewerSession | undefined,
): void {
  const limit = bodyLimit({
    maxSize: MAX_LOGIN_BYTES,
    onError: () => problem(413, `the body is larger than ${MAX_LOGIN_BYTES} bytes, the limit of a login`),
  });
  app.post('/api/login/token', limit, async (context) => {
    const token = textIn(await context.req.json().catch(() => undefined), 'token');
    if (token === undefined || token === '' || token.length > MAX_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(token))
      return problem(400, 'the body must be {"token": "<bearer token>"}: one line of printable characters');
    const credentials = { headers: { authorization: `Bearer ${token}` } };
    return answerOf(parts, await logIn(parts, { method: 'token', credentials }));
  });
  app.post('/api/login/kubeconfig', limit, async (context) => {
    const text = textIn(await context.req.json().catch(() => undefined), 'kubeconfig');
    if (text === undefined) return problem(400, 'the body must be {"kubeconfig": "<the file\'s text>"}');
    const read = readKubeconfig(text);
    if (!read.isValid) return problem(400, read.problem);
    return answerOf(parts, await logIn(parts, { method: 'kubeconfig', credentials: read.credentials }));
  });
  app.get('/login/once', async (context) => {
    const code = context.req.query('code') ?? '';
    if (parts.codes?.redeem(code) !== true)
      return problem(403, 'this link was used already or has expired: `bin/manta status` prints a new one');
    parts.onCodeUsed?.();
    const credentials = await parts.server.credentials();
    return toPage(parts, await logIn(parts, { method: 'one-time-url', credentials }));
  });
  app.get('/login/oidc', async () => {
    if (parts.oidc === undefined) return problem(404, 'this console has no OIDC provider');
    try {
      const { url, id } = await parts.oidc.begin();
      return redirect(url.href, [loginCookie(id)]);
    } catch (error) {
      return failed(parts, error);
    }
  });
  app.get('/login/callback', async (context) => {
    if (parts.oidc === undefined) return problem(404, 'this console has no OIDC provider');
    try {
      const { raw } = context.req;
      const login = await parts.oidc.complete(loginIdIn(context.req.header('cookie')), new URL(raw.url).search);
      const { expiresAtMs } = login;
      if (login.access === 'impersonate') return toPage(parts, await logInAs(parts, 'oidc', login.user, expiresAtMs));
      return toPage(parts, await logIn(parts, { method: 'oidc', credentials: login.credentials }, expiresAtMs));
    } catch (error) {
      return failed(parts, error);
    }
  });
  app.get('/login/proxy', async (context) => {
    const { headers } = context.req.raw;
    // A link elsewhere must not start a session: only the page, or somebody who types the address.
    if (isForeignRead(headers)) return problem(403, 'open the console itself');
    const user = parts.trustedHeader === undefined ? undefined : userNamedIn(headers, parts.trustedHeader);
    if (user === undefined) return problem(401, 'the request names no user in the way that the auth proxy does');
    return toPage(parts, await logInAs(parts, 'proxy-header', user));
  });
  app.post('/api/logout', (context) => {
    const session = sessionOf(context);
    if (session !== undefined) parts.sessions.end(session.id, 'you logged out');
    return new Response(null, { status: 204, headers: { ...SECURITY_HEADERS, 'set-cookie': clearCookie() } });
  });
}

/** A session as the page sees it. */
export function describe({ dashboards }: ConsoleParts, { viewer, expiresAtMs }: ViewerSession): Session {
  const { user, groups, method } = viewer;
  const expiresAt = new Date(expiresAtMs).toISOString();
  return { user, groups, method, expiresAt, hasRayDashboards: dashboards !== undefined };
}

interface Login {
  readonly method: LoginMethod;
  readonly credentials: Credentials | (() => Promise<Credentials>);
}

async function logIn(parts: ConsoleParts, login: Login, expiresAtMs?: number): Promise<ViewerSession | Response> {
  const access = openViewerAccess(parts.server, login.credentials, parts.clock);
  try {
    const viewer: Viewer = { method: login.method, ...(await whoAmI(access.client)) };
    const session = parts.sessions.start(viewer, access, expiresAtMs);
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

async function logInAs(
  parts: ConsoleParts,
  method: LoginMethod,
  user: NamedUser,
  expiresAtMs?: number,
): Promise<ViewerSession | Response> {
  const refused = whyNotImpersonated(user);
  if (refused !== undefined) return problem(403, refused);
  return await logIn(parts, { method, credentials: impersonate(parts.server, user) }, expiresAtMs);
}

function answerOf(parts: ConsoleParts, session: ViewerSession | Response): Response {
  if (session instanceof Response) return session;
  const answer: NewSession = { ...describe(parts, session), key: session.key };
  return Response.json(answer, { headers: { ...NOT_CACHED, 'set-cookie': cookieOf(parts, session) } });
}

/** Browsers keep a fragment to themselves; the page stores the key and takes it out of its URL. */
function toPage(parts: ConsoleParts, session: ViewerSession | Response): Response {
  if (session instanceof Response) return session;
  return redirect(`/#key=${session.key}`, [cookieOf(parts, session)]);
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ ...SECURITY_HEADERS, ...NOT_CACHED, location });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

function failed({ log }: ConsoleParts, error: unknown): Response {
  if (!(error instanceof OidcFailed)) throw error;
  log.warn('Login failed', { method: 'oidc', error: error.message });
  return problem(401, error.message);
}

function cookieOf({ clock }: ConsoleParts, { id, expiresAtMs }: ViewerSession): string {
  return setCookie(id, (expiresAtMs - clock.now()) / 1000);
}

function textIn(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null || !(name in body)) return undefined;
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}
