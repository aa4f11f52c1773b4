import { createHash } from 'node:crypto';
import { StatusError } from '../status/status-error.ts';
import type { User } from '../auth/user.ts';
import { aggregatedDocument } from '../discovery/aggregated.ts';
import { groupDocument, servedGroups } from '../discovery/group-list.ts';
import { openapiDocument, openapiIndex, parseDocumentPath } from '../discovery/openapi.ts';
import { resourceListDocument } from '../discovery/resource-list.ts';
import { methodNotAllowed } from '../status/errors.ts';
import type { HandlerOptions } from './handler.ts';
import { type HttpRequest, type HttpResponse, header } from './http-request.ts';
import { parseAccept } from './media-type.ts';
import { respond, respondText } from './respond.ts';
import { versionDocument } from './version.ts';

/** A request to a path outside the resources. */
export interface OtherRequest extends HandlerOptions {
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

/** Answers discovery, health, version and OpenAPI requests; anything else is not found. */
export async function handleOther(call: OtherRequest): Promise<void> {
  const { api, user, request, response } = call;
  const path = call.pathname.length > 1 ? call.pathname.replace(/\/$/, '') : call.pathname;
  const verb = (request.method ?? 'GET').toLowerCase();
  if (!api.authorizer.authorize({ user, verb, path }).isAllowed) {
    throw new StatusError(403, 'Forbidden', `forbidden: User "${user.name}" cannot ${verb} path "${path}"`, {});
  }
  if (isHealth(path)) {
    await respondHealth(call);
    return;
  }
  const document = documentAt(call, path);
  if (document === undefined) await respondText(response, 404, '404 page not found\n', 'text/plain; charset=utf-8');
  else if (verb !== 'get' && verb !== 'head') throw methodNotAllowed();
  else await respondTagged(call, document);
}

/** Clients keep discovery and ask whether it has changed. */
async function respondTagged(
  { request, response }: OtherRequest,
  document: { body: unknown; contentType?: string },
): Promise<void> {
  if (document.contentType === undefined) {
    await respond(response, { code: 200, ...document });
    return;
  }
  const hash = createHash('sha512').update(JSON.stringify(document.body)).digest('hex');
  const etag = `"${hash.toUpperCase()}"`;
  if (header(request, 'if-none-match') === etag) await respondText(response, 304, '', document.contentType, { etag });
  else await respond(response, { code: 200, ...document, headers: { etag } });
}

function isHealth(path: string): boolean {
  return /^\/(healthz|livez|readyz)(\/ping)?$/.test(path);
}

async function respondHealth({ pathname, query, response }: OtherRequest): Promise<void> {
  const name = pathname.split('/')[1] ?? '';
  const text = query.has('verbose') ? `[+]ping ok\n[+]store ok\n${name} check passed\n` : 'ok';
  await respondText(response, 200, text, 'text/plain; charset=utf-8', { 'x-content-type-options': 'nosniff' });
}

function documentAt(call: OtherRequest, path: string): { body: unknown; contentType?: string } | undefined {
  if (path === '/version') return { body: versionDocument };
  if (path === '/api' || path === '/apis') return rootDocument(call, path === '/api');
  if (path === '/openapi/v3') return { body: openapiIndex(call.api.registry) };
  if (path.startsWith('/openapi/v3/')) return openapiAt(call, path.slice('/openapi/v3/'.length));
  if (path === '/') return { body: { paths: rootPaths(call) } };
  return groupAt(call, path);
}

function rootDocument(call: OtherRequest, isCore: boolean): { body: unknown; contentType?: string } {
  const { registry } = call.api;
  const apiVersion = wantedDiscovery(header(call.request, 'accept'));
  if (apiVersion !== undefined) {
    const version = apiVersion.split('/')[1] ?? 'v2';
    const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    call.response.setHeader('vary', 'Accept');
    return { body: aggregatedDocument(registry, isCore, apiVersion), contentType };
  }
  if (!isCore) {
    const groups = servedGroups(registry).filter(({ name }) => name !== '');
    return { body: { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupDocument) } };
  }
  const addresses = [{ clientCIDR: '0.0.0.0/0', serverAddress: call.address() }];
  return { body: { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: addresses } };
}

function wantedDiscovery(accept: string | undefined): string | undefined {
  for (const { type, params } of parseAccept(accept)) {
    if (type !== 'application/json') continue;
    if (params['as'] === undefined) return undefined;
    const isWanted = params['as'] === 'APIGroupDiscoveryList' && params['g'] === 'apidiscovery.k8s.io';
    if (isWanted && (params['v'] === 'v2' || params['v'] === 'v2beta1')) return `apidiscovery.k8s.io/${params['v']}`;
  }
  return undefined;
}

function openapiAt({ api }: OtherRequest, path: string): { body: unknown } | undefined {
  const found = parseDocumentPath(path);
  if (found === undefined || !isServed(api.registry, found.group, found.version)) return undefined;
  return { body: openapiDocument(api.registry, found.group, found.version) };
}

function isServed(registry: OtherRequest['api']['registry'], group: string, version: string): boolean {
  return servedGroups(registry).some(({ name, versions }) => name === group && versions.includes(version));
}

function groupAt({ api }: OtherRequest, path: string): { body: unknown } | undefined {
  const match = /^\/(?:api|apis\/([^/]+))(?:\/([^/]+))?$/.exec(path);
  if (match === null) return undefined;
  const group = servedGroups(api.registry).find(({ name }) => name === (match[1] ?? ''));
  const version = match[2];
  if (group === undefined) return undefined;
  if (version === undefined) return { body: { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(group) } };
  return group.versions.includes(version) ? { body: resourceListDocument(group, version) } : undefined;
}

function rootPaths({ api }: OtherRequest): readonly string[] {
  const groups = servedGroups(api.registry).flatMap(({ name, versions }) => {
    const root = name === '' ? '/api' : `/apis/${name}`;
    return [root, ...versions.map((version) => `${root}/${version}`)];
  });
  return [...groups, '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'].toSorted();
}
