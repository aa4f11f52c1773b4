import { StatusError } from '../status/status-error.ts';
import type { Revision } from '../store/contract.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { badRequest } from '../status/errors.ts';
import { checkListParams, type ListParams } from '../requests/list-params.ts';
import type { Scope } from '../requests/request.ts';
import { requireRevision } from '../object/resource-version.ts';
import { compileSelection } from '../selectors/selection.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from './continue-token.ts';

/** One page of a list. */
export interface ListPage {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Lists a resource, as the asked version shows it. */
export function listObjects(api: Api, scope: Scope, params: ListParams): ListPage {
  checkListParams(params, false);
  const token = params.continue ? continueToken(params) : undefined;
  const at = revisionOf(api, params, token);
  const selection = compileSelection(scope, params);
  const objects = read(api, scope, at, token);
  const rest = token === undefined ? objects : after(objects, token.after, scope.namespace === '');
  // resourceVersion "0" accepts any version: the current state is returned without pagination.
  const isLimited = params.limit !== undefined && params.limit > 0 && params.resourceVersion !== '0';
  const limit = isLimited ? (params.limit ?? 0) : Number.POSITIVE_INFINITY;
  return page(scope, rest, { at, limit, selection, hasSelectors: hasSelectors(params) });
}

function continueToken(params: ListParams): ContinueToken {
  const token = decodeContinue(params.continue ?? '');
  if (params.resourceVersion) throw badRequest('specifying resource version is not allowed when using continue');
  return token;
}

function revisionOf(api: Api, params: ListParams, token: ContinueToken | undefined): Revision {
  if (token !== undefined) return token.revision < 0 ? api.store.revision : token.revision;
  const asked = requireRevision(api.store, params.resourceVersion ?? '');
  const isExact =
    params.resourceVersionMatch === 'Exact' || (asked > 0 && params.limit && !params.resourceVersionMatch);
  return isExact ? asked : api.store.revision;
}

function read(api: Api, scope: Scope, at: Revision, token: ContinueToken | undefined): readonly StoredObject[] {
  const options = { at, ...(scope.namespace === '' ? {} : { namespace: scope.namespace }) };
  try {
    return api.store.list(scope.resource.storedAs, options);
  } catch (error) {
    if (error instanceof StatusError && error.code === 410) throw expired(token);
    throw error;
  }
}

/** The client may go on with a fresh state, by the token in the Status' metadata, or begin again. */
function expired(token: ContinueToken | undefined): StatusError {
  if (token === undefined) {
    return new StatusError(410, 'Expired', `The resourceVersion for the provided list is too old.`);
  }
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  return new ExpiredContinueError(message, encodeContinue({ revision: -1, after: token.after }));
}

/** 410 for a continue token whose state is forgotten; `token` continues with the present one. */
export class ExpiredContinueError extends StatusError {
  readonly token: string;

  constructor(message: string, token: string) {
    super(410, 'Expired', message);
    this.token = token;
  }
}

interface PageOptions {
  readonly at: Revision;
  readonly limit: number;
  readonly selection: (object: StoredObject) => boolean;
  readonly hasSelectors: boolean;
}

function page(scope: Scope, objects: readonly StoredObject[], options: PageOptions): ListPage {
  const { at, limit, selection } = options;
  const items: StoredObject[] = [];
  const { fromStored } = scope.version;
  let next = 0;
  for (const stored of objects) {
    if (items.length >= limit) break;
    next += 1;
    const shown = fromStored(stored);
    if (selection(shown)) items.push(shown);
  }
  const resourceVersion = String(at);
  const last = items.at(-1);
  if (next >= objects.length || last === undefined) return { items, resourceVersion };
  const token = encodeContinue({ revision: at, after: startKey(last, scope.namespace === '') });
  const count = options.hasSelectors ? {} : { remainingItemCount: objects.length - next };
  return { items, resourceVersion, continue: token, ...count };
}

function hasSelectors(params: ListParams): boolean {
  return Boolean(params.labelSelector) || Boolean(params.fieldSelector);
}

function startKey({ metadata }: StoredObject, isAcrossNamespaces: boolean): string {
  return isAcrossNamespaces && metadata.namespace !== undefined
    ? `/${metadata.namespace}/${metadata.name}`
    : `/${metadata.name}`;
}

/** Objects come sorted by namespace and name, as tokens count. */
function after(objects: readonly StoredObject[], key: string, isAcrossNamespaces: boolean): readonly StoredObject[] {
  const [first = '', second] = key.replace(/^\//, '').split('/');
  return objects.filter(({ metadata }) => {
    if (!isAcrossNamespaces || metadata.namespace === undefined) return metadata.name > first;
    if (metadata.namespace !== first) return metadata.namespace > first;
    return second === undefined || metadata.name > second;
  });
}
