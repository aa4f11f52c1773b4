import { messageOf } from '@manta/base';
import type { Context, Hono } from 'hono';
import { isName } from './http/names.ts';
import { SECURITY_HEADERS, NOT_CACHED } from './http/security-headers.ts';
import type { ConsoleParts } from './console-parts.ts';
import type { ViewerSession } from './identity/sessions.ts';
import { jobLog } from './logs/job-log.ts';
import { logResponse } from './logs/log-response.ts';
import { problem } from './passthrough/pass-to-api-server.ts';
import type { DashboardLink } from './protocol.ts';
import { callHead } from './ray-dashboard/call-head.ts';
import type { DashboardTarget } from './ray-dashboard/find-head.ts';
import { openHead } from './ray-dashboard/open-head.ts';
import { headersForHead } from './ray-dashboard/proxy-headers.ts';

/** Ray refuses larger packages. */
const MAX_PACKAGE_BYTES = 100 * 1024 * 1024;
const PACKAGE_NAME = /^_ray_pkg_[0-9a-f]{8,64}\.zip$/;

/** Routes that reach Ray heads: links to dashboards, output of jobs, packages. `readerOf` finds the session of the console's own page. */
export function addRayRoutes(
  app: Hono,
  parts: ConsoleParts,
  readerOf: (context: Context) => ViewerSession | undefined,
): void {
  app.post('/api/ray-dashboard/:kind/:namespace/:name', (context) => {
    const viewer = readerOf(context);
    const target = targetIn(context);
    if (viewer === undefined) return problem(401, 'log in first');
    if (parts.dashboards === undefined) return problem(404, 'this console serves no Ray dashboards');
    if (target === undefined) return problem(404, 'the path names no Ray object');
    const link: DashboardLink = { url: parts.dashboards.linkTo(target, viewer) };
    return Response.json(link, { headers: { ...SECURITY_HEADERS, ...NOT_CACHED } });
  });
  app.get('/api/logs/rayjobs/:namespace/:name', async (context) => {
    const viewer = readerOf(context);
    const target = targetIn(context, 'rayjobs');
    if (viewer === undefined) return problem(401, 'log in first');
    if (target === undefined) return problem(404, 'the path names no RayJob');
    const left = new AbortController();
    const signal = AbortSignal.any([viewer.ended, context.req.raw.signal, left.signal]);
    const log = await jobLog(parts, viewer, target, new URL(context.req.url).searchParams, signal);
    return logResponse(log.source, {
      clock: parts.clock,
      signal: log.signal,
      onEnd: () => left.abort(new Error('the log has ended')),
    });
  });
  app.put('/api/packages/:namespace/:name/:package', async (context) => {
    const viewer = readerOf(context);
    const target = targetIn(context, 'rayclusters');
    const name = context.req.param('package');
    if (viewer === undefined) return problem(401, 'log in first');
    if (parts.dashboards === undefined) return problem(404, 'this console reaches no Ray heads');
    if (target === undefined || !PACKAGE_NAME.test(name))
      return problem(404, 'the path names no package of a RayCluster');
    return await upload(parts, parts.dashboards, viewer, target, name, context.req.raw);
  });
}

async function upload(
  { log }: ConsoleParts,
  dashboards: NonNullable<ConsoleParts['dashboards']>,
  viewer: ViewerSession,
  target: DashboardTarget,
  name: string,
  request: Request,
): Promise<Response> {
  const access = await openHead(dashboards, target, viewer, 'ray:write');
  if (!access.isAllowed) return problem(access.status, access.why);
  // Passed on as it arrives: a few uploads at once would fill the memory. Node sees to it that no more than the length arrives.
  const length = Number(request.headers.get('content-length') ?? '0');
  const { body } = request;
  if (body === null || !(length >= 1 && length <= MAX_PACKAGE_BYTES))
    return problem(
      413,
      `the package must have 1 to ${MAX_PACKAGE_BYTES} bytes, Ray's limit, and the header Content-Length`,
    );
  const { head } = access;
  const headers = {
    ...headersForHead({}, head),
    'content-type': 'application/octet-stream',
    'content-length': String(length),
  };
  const signal = AbortSignal.any([viewer.ended, request.signal]);
  const audit = { user: viewer.viewer.user, namespace: target.namespace, cluster: head.cluster, name };
  try {
    const call = { method: 'PUT', target: `/api/packages/gcs/${name}`, headers, body, signal } as const;
    const reply = await callHead(dashboards.dial, head, viewer.access, call);
    const status = reply.answer.statusCode ?? 502;
    reply.answer.destroy();
    log.info('Package', { ...audit, status });
    return status < 300
      ? new Response(null, { status: 204, headers: SECURITY_HEADERS })
      : problem(502, `the head of RayCluster ${head.cluster} refused the package with status ${status}`);
  } catch (error) {
    log.info('Package', { ...audit, error: messageOf(error) });
    return problem(502, `the head of RayCluster ${head.cluster} did not answer: ${messageOf(error)}`);
  }
}

function targetIn(context: Context, kind = context.req.param('kind')): DashboardTarget | undefined {
  const namespace = context.req.param('namespace') ?? '';
  const name = context.req.param('name') ?? '';
  if (kind !== 'rayclusters' && kind !== 'rayservices' && kind !== 'rayjobs') return undefined;
  return isName(namespace) && isName(name) ? { kind, namespace, name } : undefined;
}
