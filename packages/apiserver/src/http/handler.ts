import { ownValue } from '@manta/base';
import { StatusError } from '../status/status-error.ts';
import { respondAggregated } from '../aggregation/respond-aggregated.ts';
import type { Api } from '../api.ts';
import type { User } from '../auth/user.ts';
import { forbidden } from '../status/errors.ts';
import { parsePath } from '../requests/request-path.ts';
import { authenticate, type StaticTokens } from './authenticate.ts';
import { type HttpRequest, type HttpResponse, header } from './http-request.ts';
import { impersonate } from './impersonate.ts';
import { handleOther } from './other-request.ts';
import { requestTarget } from './request-target.ts';
import { handleResource } from './resource-request.ts';
import { respondError } from './respond.ts';
import type { OpenGate } from './watch-response.ts';

/** What every request needs. */
export interface HandlerOptions {
  readonly api: Api;
  readonly tokens: StaticTokens;
  /** `host:port` under which clients reach the server; discovery says so. */
  readonly address: () => string;
  /** Opens the way of a watch's events, where something may stand in it. */
  readonly gate?: OpenGate;
  /** Called for every request after its response (a watch: when it begins), like an audit log. */
  readonly onRequest?: (request: AnsweredRequest) => void;
  /** Called with internal errors; the client gets a 500 without details. */
  readonly onInternalError: (error: unknown) => void;
}

/** One request, for metrics and logs. */
export interface AnsweredRequest {
  readonly user: string;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly code: number;
  readonly userAgent: string;
}

/** Answers any request. Never throws, never rejects. */
export async function handle(options: HandlerOptions, request: HttpRequest, response: HttpResponse): Promise<void> {
  const { api, tokens } = options;
  let who = '';
  try {
    response.setHeader('audit-id', api.world.newUid());
    response.setHeader('cache-control', 'no-cache, private');
    const { pathname, query } = requestTarget(request.url);
    const path = parsePath(pathname);
    const sender = authenticate(api, request, tokens);
    const user = impersonate(api, request, sender, () => impersonationRefused(request, pathname, path, sender));
    who = user.name;
    const aggregated = path === undefined ? undefined : api.aggregated.get(path.group);
    const isServed = path !== undefined && isKnownVersion(api, path.group, path.version);
    if (path !== undefined && isServed)
      await handleResource({ api, path, query, user, request, response, ...gateOf(options) });
    else if (path !== undefined && aggregated?.version === path.version)
      await respondAggregated({ api, group: aggregated, path, query, user, request, response });
    else await handleOther({ ...options, pathname, query, user, request, response });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'StatusError')) options.onInternalError(error);
    await respondError(response, error);
  }
  options.onRequest?.({
    user: who,
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    code: response.statusCode,
    userAgent: header(request, 'user-agent') ?? '',
  });
}

function gateOf({ gate }: HandlerOptions): { readonly gate?: OpenGate } {
  return gate === undefined ? {} : { gate };
}

function isKnownVersion(api: Api, group: string, version: string): boolean {
  return api.registry.all().some(({ info }) => info.group === group && info.versions.includes(version));
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** A refused impersonation is answered with the error for the impersonated request. */
function impersonationRefused(
  request: HttpRequest,
  pathname: string,
  path: ReturnType<typeof parsePath>,
  { name: user }: User,
): StatusError {
  const method = request.method ?? 'GET';
  const verb = (known: string) => `impersonate-on:user-info:${known}`;
  if (path === undefined) {
    const text = `forbidden: User "${user}" cannot ${verb(method.toLowerCase())} path "${pathname}"`;
    return new StatusError(403, 'Forbidden', text, {});
  }
  const { group, plural, subresource, namespace, name } = path;
  const what = subresource === '' ? plural : `${plural}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const reading = name === '' ? 'list' : 'get';
  const why = `User "${user}" cannot ${verb(ownValue(VERBS, method) ?? reading)} resource "${what}" in API group "${group}" ${where}`;
  return forbidden({ group, plural }, name, why);
}
