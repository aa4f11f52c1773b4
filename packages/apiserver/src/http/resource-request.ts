import { ownValue } from '@manta/base';
import { isObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import type { User } from '../auth/user.ts';
import { authorize } from '../auth/authorize.ts';
import { methodNotAllowed, noSuchPath } from '../status/errors.ts';
import { handleDelete } from '../requests/handle-delete.ts';
import { handleRead } from '../requests/handle-read.ts';
import { handleWrite } from '../requests/handle-write.ts';
import type { Scope, Verb } from '../requests/request.ts';
import type { ResourcePath } from '../requests/request-path.ts';
import { nameInSelector } from '../selectors/field-selector.ts';
import type { WireStatus } from '../status/status.ts';
import { requireSubresourceVerb } from '../requests/subresource-verbs.ts';
import { connect, isConnection } from '../subresources/connect.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { deleteParamsOf } from '../verbs/delete-options.ts';
import { listObjects } from '../verbs/list.ts';
import type { PatchType } from '../verbs/patch.ts';
import { type HttpRequest, type HttpResponse, header } from './http-request.ts';
import { parseMediaType } from './media-type.ts';
import { negotiate } from './negotiate.ts';
import { deleteQuery, flag, listQuery, writeQuery } from './query.ts';
import { collectBody, decodeObject, decodePatch, decodeYaml } from './read-body.ts';
import { respond } from './respond.ts';
import { showList, showObject, type View } from './show.ts';
import { warningValues } from './warning-header.ts';
import { type OpenGate, respondWatch } from './watch-response.ts';

/** A request about a resource, its sender known. */
export interface ResourceRequest {
  readonly api: Api;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly gate?: OpenGate;
}

/** Answers a request about a resource: authorizes, carries out the verb, shows the result. */
export async function handleResource(call: ResourceRequest): Promise<void> {
  const { api, query, request, response } = call;
  const warnings: string[] = [];
  const scope = scopeOf(call, (message) => warnings.push(message));
  const verb = call.path.isWatch ? 'watch' : verbOf(request.method ?? 'GET', scope, query);
  authorize(api, verb === 'watch' || verb === 'list' ? withSelectedName(scope, query) : scope, verb);
  requireVerb(scope, verb);
  if (scope.version.deprecationWarning !== undefined) scope.warn(scope.version.deprecationWarning);
  if (isConnection(scope)) {
    await connect(api, scope, { rest: call.path.rest, query, request, response });
    return;
  }
  const representation = negotiate(header(request, 'accept'));
  const includeObject = query.get('includeObject') ?? 'Metadata';
  const view: View = { scope, representation, nowMs: api.world.clock.now(), includeObject };
  if (verb === 'watch') {
    respondWatch(api, scope, listQuery(query), view, response, call.gate);
    return;
  }
  const { code, body } = await carryOut(call, scope, verb, view).finally(() => {
    const values = warningValues(warnings);
    if (values.length > 0 && !response.headersSent) response.setHeader('warning', values);
  });
  const { format, contentType } = representation;
  const isCompressible = /\bgzip\b/.test(header(request, 'accept-encoding') ?? '');
  await respond(response, { code, body, format, contentType, isPretty: wantsPretty(request, query), isCompressible });
}

/** People who use curl want to read the answer, unless they say otherwise. */
function wantsPretty(request: HttpRequest, query: URLSearchParams): boolean {
  return flag(query, 'pretty') ?? /^(curl|Wget)\b/.test(header(request, 'user-agent') ?? '');
}

function scopeOf({ api, path, user, request }: ResourceRequest, warn: (message: string) => void): Scope {
  const found = api.registry.find(path.group, path.version, path.plural);
  if (found === undefined) throw noSuchPath();
  const { namespace, name, subresource } = path;
  return { ...found, namespace, name, subresource, user, userAgent: header(request, 'user-agent') ?? '', warn };
}

const VERBS: Readonly<Record<string, Verb>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  GET: 'get',
};

function verbOf(method: string, { name, version }: Scope, query: URLSearchParams): Verb {
  const verb = ownValue(VERBS, method);
  if (verb === undefined) throw methodNotAllowed();
  if (verb === 'get') {
    if (flag(query, 'watch') === true && (name === '' || version.resource.verbs.includes('watch'))) return 'watch';
    return name === '' ? 'list' : 'get';
  }
  return verb === 'delete' && name === '' ? 'deletecollection' : verb;
}

/** A list of one name is authorized as that name. */
function withSelectedName(scope: Scope, query: URLSearchParams): Scope {
  const selector = query.get('fieldSelector');
  if (scope.name !== '' || selector === null) return scope;
  try {
    return { ...scope, name: nameInSelector(selector) ?? '' };
  } catch {
    return scope;
  }
}

/** Whether the path and the verb go together: POST to a name, PUT to a collection and the like do not. */
function requireVerb(scope: Scope, verb: Verb): void {
  const { name, namespace, subresource } = scope;
  const { isNamespaced, verbs } = scope.resource.info;
  const isCollectionVerb = verb === 'list' || verb === 'deletecollection';
  const needsName = verb === 'get' || verb === 'update' || verb === 'patch' || verb === 'delete';
  if (!isNamespaced && namespace !== '') throw noSuchPath();
  if (isNamespaced && namespace === '' && name !== '') throw noSuchPath();
  if (subresource !== '') {
    requireSubresourceVerb(scope, verb);
    return;
  }
  if (verb === 'create' && (name !== '' || (isNamespaced && namespace === ''))) throw methodNotAllowed();
  if (needsName && name === '') throw methodNotAllowed();
  if (verb === 'deletecollection' && isNamespaced && namespace === '') throw methodNotAllowed();
  if (isCollectionVerb && name !== '') throw methodNotAllowed();
  if (!verbs.includes(verb)) throw methodNotAllowed();
}

async function carryOut(call: ResourceRequest, scope: Scope, verb: Exclude<Verb, 'watch'>, view: View) {
  const { api, query, request } = call;
  switch (verb) {
    case 'get':
      return { code: 200, body: showObject(view, handleRead(api, scope, query.get('resourceVersion') ?? '')) };
    case 'list':
      return { code: 200, body: showList(view, listObjects(api, scope, listQuery(query))) };
    case 'create':
    case 'update':
    case 'patch':
      return await write(call, scope, verb, view);
    case 'delete': {
      const { code, body } = await handleDelete(api, scope, await deleteOptions(request, query));
      return { code, body: isStatus(body) ? body : showObject(view, body) };
    }
    case 'deletecollection': {
      const params = await deleteOptions(request, query);
      return { code: 200, body: showList(view, await deleteCollection(api, scope, listQuery(query), params)) };
    }
  }
}

async function write(call: ResourceRequest, scope: Scope, verb: 'create' | 'update' | 'patch', view: View) {
  const { api, query, request } = call;
  const contentType = header(request, 'content-type');
  const { isBuiltin } = scope.version;
  const { kind } = scope.version.resource;
  const patchType = verb === 'patch' ? patchTypeOf(scope, contentType) : undefined;
  const bytes = await collectBody(request);
  const options = ({ create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions' } as const)[verb];
  const queryParams = writeQuery(query, options);
  if (verb === 'patch' && patchType !== undefined) {
    const body =
      patchType === 'apply'
        ? (await decodeYaml(bytes.toString('utf8'), scope.version.resource.kind)).value
        : decodePatch(bytes.toString('utf8'));
    const { object, code } = await handleWrite(api, scope, { verb, type: patchType, body }, queryParams);
    return { code, body: showObject(view, object) };
  }
  const { value: body, duplicateFields } = await decodeObject(bytes, contentType, kind, isBuiltin);
  const params = { ...queryParams, duplicateFields };
  const { object, code } = await handleWrite(
    api,
    scope,
    { verb: verb === 'create' ? 'create' : 'update', body },
    params,
  );
  return { code, body: object.kind === 'Status' ? object : showObject(view, object) };
}

function isStatus(body: StoredObject | WireStatus): body is WireStatus {
  return body.kind === 'Status';
}

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

function patchTypeOf({ version }: Scope, contentType: string | undefined): PatchType {
  const type = ownValue(PATCH_TYPES, parseMediaType(contentType ?? '').type);
  const isKnown = type !== undefined && (type !== 'strategic' || version.isBuiltin);
  if (isKnown) return type;
  if (type === undefined) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  const accepted = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  throw new StatusError(415, 'UnsupportedMediaType', message);
}

async function deleteOptions(request: HttpRequest, query: URLSearchParams) {
  const bytes = await collectBody(request);
  const fromQuery = deleteQuery(query);
  if (bytes.length === 0) return fromQuery;
  const { value } = await decodeObject(bytes, header(request, 'content-type'), 'DeleteOptions');
  return isObject(value) ? { ...fromQuery, ...deleteParamsOf(value) } : fromQuery;
}
