import { messageOf } from '@manta/base';
import { ApiError } from '@manta/kube';
import { type Context, Hono } from 'hono';
import type { ConsoleParts } from './console-parts.ts';
import { isName } from './http/names.ts';
import { isForeignRead, refuse } from './http/request-guard.ts';
import { NOT_CACHED, SECURITY_HEADERS } from './http/security-headers.ts';
import { findSession } from './identity/find-session.ts';
import type { ViewerSession } from './identity/sessions.ts';
import { whileAllowed } from './identity/while-allowed.ts';
import { streamResponse } from './live/stream-response.ts';
import { logResponse } from './logs/log-response.ts';
import { podLogSource } from './logs/pod-log.ts';
import { addLoginRoutes, describe } from './login-routes.ts';
import { addRayRoutes } from './ray-routes.ts';
import { heldQuestion } from './passthrough/held-question.ts';
import { passToApiServer, problem } from './passthrough/pass-to-api-server.ts';
import type { LoginMethods } from './protocol.ts';

/** All routes of the console. Each answer carries the security headers; each write leaves an audit line. */
export function createConsoleApp(parts: ConsoleParts): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    const { method, raw } = context.req;
    const hasToken = bearerIn(raw.headers) !== undefined;
    const refused = refuse(method, raw.headers, { hosts: parts.hosts(), hasToken });
    if (refused !== undefined) return problem(refused.status, refused.message);
    // Hono answers it like a GET and drops the body: a stream behind it would never end.
    if (method === 'HEAD' && context.req.path.startsWith('/api/')) return problem(405, 'HEAD is not allowed here');
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    return undefined;
  });
  app.onError((error) => {
    // What the API server refuses is the caller's to solve.
    if (error instanceof ApiError)
      return problem(error.code >= 400 && error.code < 500 ? error.code : 502, error.message);
    parts.log.error('A request failed', error);
    return problem(500, 'the console failed to answer; its log has the cause');
  });
  app.get('/api/session', (context) => {
    const session = sessionOf(parts, context);
    if (session !== undefined) return context.json(describe(parts, session), 200, NOT_CACHED);
    return context.json({ methods: parts.methods } satisfies LoginMethods, 401, NOT_CACHED);
  });
  addLoginRoutes(app, parts, (context) => sessionOf(parts, context));
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
  for (const path of ['/version', '/openapi/v3', '/openapi/v3/*']) app.get(path, (context) => pass(parts, context));
  app.get('/healthz', (context) => context.text('ok'));
  app.get('*', (context) => staticFile(parts, context));
  return app;
}

async function pass(parts: ConsoleParts, context: Context): Promise<Response> {
  const { raw, method, path } = context.req;
  const { hasComputeTemplates } = parts;
  const token = bearerIn(raw.headers);
  if (token !== undefined) {
    const { client, transport } = parts.clients.of(token);
    const seen: { isAccepted?: boolean } = {};
    const answer = await passToApiServer(raw, {
      client,
      transport,
      caller: 'client',
      hasComputeTemplates,
      signal: raw.signal,
      onAnswer: (isAccepted) => (seen.isAccepted = isAccepted),
    }).catch(async (error: unknown) => {
      if (mayHaveWritten(method, error))
        parts.log.info('Write', { user: await parts.clients.nameOf(token), method, path, error: messageOf(error) });
      throw error;
    });
    if (seen.isAccepted !== false) {
      if (seen.isAccepted === true) parts.clients.accept(token);
      if (method !== 'GET')
        parts.log.info('Write', { user: await parts.clients.nameOf(token), method, path, status: answer.status });
      return answer;
    }
    // Read whole: the connection of a refused token is closed at once.
    const body = await answer.arrayBuffer();
    parts.clients.reject(token);
    return new Response(body, answer);
  }
  const session = readerOf(parts, context);
  if (session === undefined) return problem(401, 'log in first');
  const question = heldQuestion(path, new URL(raw.url).searchParams);
  // The signal of a request is not aborted when its answer ends as it should.
  const over = new AbortController();
  const onEnd = () => over.abort(new Error('the answer has ended'));
  const ended = AbortSignal.any([session.ended, raw.signal, over.signal]);
  const signal =
    question === undefined
      ? ended
      : whileAllowed(question, { client: session.access.client, clock: parts.clock, signal: ended });
  const seen = { isAnswered: false };
  const onAnswer = () => (seen.isAnswered = true);
  const options = { ...session.access, caller: 'page', hasComputeTemplates, signal, onAnswer, onEnd } as const;
  const answer = await passToApiServer(raw, options).catch((error: unknown) => {
    onEnd();
    if (mayHaveWritten(method, error))
      parts.log.info('Write', { user: session.viewer.user, method, path, error: messageOf(error) });
    throw error;
  });
  if (!seen.isAnswered) onEnd();
  if (answer.status === 401) parts.sessions.end(session.id, 'the API server no longer accepts your credentials');
  if (method !== 'GET') parts.log.info('Write', { user: session.viewer.user, method, path, status: answer.status });
  return answer;
}

/** Whether a request without an answer may have been carried out: its sender may have left on purpose. An ApiError comes before it is sent. */
function mayHaveWritten(method: string, error: unknown): boolean {
  return method !== 'GET' && !(error instanceof ApiError);
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

function sessionOf(parts: ConsoleParts, context: Context): ViewerSession | undefined {
  const { raw } = context.req;
  return findSession(parts, raw.headers, raw.url);
}

/** The session of a request that may read data: it comes from the console's own page. */
function readerOf(parts: ConsoleParts, context: Context): ViewerSession | undefined {
  return isForeignRead(context.req.raw.headers) ? undefined : sessionOf(parts, context);
}

function bearerIn(headers: Headers): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/.exec(headers.get('authorization') ?? '')?.[1];
}
